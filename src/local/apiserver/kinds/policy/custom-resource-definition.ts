import { dnsSubdomain } from '../../meta/names.ts';
import { plainColumns } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

/** Kept as it is; what it defines is served by crd/. */
export const customResourceDefinitions = defineKind({
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  storageVersionHash: 'jfWCUB31mvA=',
  storage: 'apiextensions.k8s.io/customresourcedefinitions',
  definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
  hasGeneration: true,
  hasStatus: true,
  strategy: { nameRule: dnsSubdomain },
  columns: plainColumns,
});
