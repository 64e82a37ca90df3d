import { cleanupFinalizer, type Definition } from '../../crd/definition.ts';
import { validateDefinition } from '../../crd/validate-definition.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { clone } from '../../object.ts';
import { plainColumns } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

/** The custom resources that a definition declares are served by crd/. */
export const customResourceDefinitions = defineKind<Definition>({
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
  unconditionalUpdate: false,
  returnsDeleted: true,
  strategy: {
    nameRule: dnsSubdomain,
    defaults({ spec }) {
      const { names } = spec;
      names.singular ||= names.kind.toLowerCase();
      names.listKind ||= names.kind === '' ? '' : `${names.kind}List`;
      spec.conversion ??= { strategy: 'None' };
    },
    prepareForCreate(object) {
      const stored = (object.spec.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
      const storedVersions = stored.length === 0 ? null : stored.slice(0, 1);
      object.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions };
    },
    prepareForUpdate(object) {
      const storage = (object.spec.versions ?? []).find((each) => each.storage)?.name;
      const before = object.status?.storedVersions ?? [];
      if (object.status === undefined || storage === undefined || before.includes(storage)) return;
      object.status = { ...clone(object.status), storedVersions: [...before, storage] };
    },
    validate: validateDefinition,
    prepareForDelete({ metadata, status }, now) {
      metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), cleanupFinalizer])];
      if (status === undefined) return;
      const others = (status.conditions ?? []).filter(({ type }) => type !== 'Terminating');
      status.conditions = [
        ...others,
        {
          type: 'Terminating',
          status: 'True',
          lastTransitionTime: `${new Date(now).toISOString().slice(0, 19)}Z`,
          reason: 'InstanceDeletionPending',
          message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will start soon',
        },
      ];
    },
  },
  columns: plainColumns,
});
