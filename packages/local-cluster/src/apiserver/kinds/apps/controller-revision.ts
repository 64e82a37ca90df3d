import { type FieldError, invalid, required } from '../../errors/field-error.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { immutable } from '../../meta/validate-meta.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { notNegative } from '../core/pod-validation.ts';
import { defineKind } from '../define-kind.ts';

interface ControllerRevision extends ApiObject {
  data?: unknown;
  revision: number;
}

export const controllerRevision = defineKind<ControllerRevision>({
  group: 'apps',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  storageVersionHash: '85nkx63pcBU=',
  definition: 'io.k8s.api.apps.v1.ControllerRevision',
  strategy: {
    nameRule: dnsSubdomain,
    validate,
    validateUpdate: (object, old) => [...validate(object), ...immutable(object.data, old.data, 'data')],
  },
  columns: [
    nameColumn,
    { name: 'Controller', value: controllerText },
    { name: 'Revision', value: ({ revision }) => revision },
    ageColumn,
  ],
});

function validate({ revision, data }: ControllerRevision): FieldError[] {
  const errors = revision < 0 ? [invalid('revision', revision, notNegative)] : [];
  return data === undefined || data === null ? [...errors, required('data', 'data is mandatory')] : errors;
}

function controllerText({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner === undefined) return '<none>';
  const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}
