import type { FieldError } from '../../errors/field-error.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { validateAnnotations, validateLabels } from '../../meta/validate-meta.ts';
import type { ApiObject } from '../../object.ts';
import { containerNames, imageNames, labelsText, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import { defaultPodSpec } from './pod-defaults.ts';
import type { PodTemplate as Template } from './pod-types.ts';
import { validatePodSpec } from './pod-validation.ts';

interface PodTemplate extends ApiObject {
  template: Template;
}

/** PodTemplates are only used by Kubernetes' own tests, as objects that no controller changes. */
export const podTemplate = defineKind<PodTemplate>({
  group: '',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  storageVersionHash: 'LIXB2x4IFpk=',
  definition: 'io.k8s.api.core.v1.PodTemplate',
  hasGeneration: true,
  returnsDeleted: true,
  strategy: {
    nameRule: dnsSubdomain,
    defaults: ({ template }) => defaultPodSpec(template.spec),
    validate: ({ template }) => validateTemplate(template, 'template'),
  },
  columns: [
    nameColumn,
    {
      name: 'Containers',
      value: ({ template }) => containerNames({ containers: template.spec.containers ?? [] }),
    },
    { name: 'Images', value: ({ template }) => imageNames({ containers: template.spec.containers ?? [] }) },
    { name: 'Pod Labels', value: ({ template }) => labelsText(template.metadata?.labels) },
  ],
});

/** Error paths into a template's metadata omit `metadata`, as in Kubernetes. */
export function validateTemplate({ metadata = {}, spec }: Template, path: string): FieldError[] {
  return [
    ...validateLabels(metadata.labels ?? {}, `${path}.labels`),
    ...validateAnnotations(metadata.annotations ?? {}, `${path}.annotations`),
    ...validatePodSpec(spec, `${path}.spec`),
  ];
}
