import { dnsLabel } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

export interface Namespace extends ApiObject {
  spec: { finalizers?: string[] };
  status: { phase?: string; conditions?: unknown[] };
}

export const namespace = defineKind<Namespace>({
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  shortNames: ['ns'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  storageVersionHash: 'Q3oi5N2YM8M=',
  definition: 'io.k8s.api.core.v1.Namespace',
  hasStatus: true,
  returnsDeleted: true,
  strategy: {
    nameRule: dnsLabel,
    defaults(object) {
      object.status.phase ??= 'Active';
      const { name } = object.metadata;
      if (name) object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': name };
    },
    prepareForCreate(object) {
      object.status = { phase: 'Active' };
      const finalizers = object.spec.finalizers ?? [];
      if (!finalizers.includes('kubernetes')) finalizers.push('kubernetes');
      object.spec.finalizers = finalizers;
      const { name } = object.metadata;
      if (name) object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': name };
    },
    prepareForUpdate(object, old) {
      object.spec = old.spec;
      object.status = old.status;
    },
  },
  columns: [nameColumn, { name: 'Status', value: ({ status }) => status.phase ?? '' }, ageColumn],
  selectableFields: {
    name: ({ metadata }) => metadata.name ?? '',
    'status.phase': ({ status }) => status.phase ?? '',
  },
});
