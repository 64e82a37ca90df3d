import { expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import { workload as reduceWorkload } from '../../core/workload/reduce-workload.ts';
import { coAppliedReferences } from './co-applied-references.ts';

const ways = {
  usual: 'template',
  podAdmission: { problem: () => undefined, isCertain: () => true },
  unblocked: [],
} as const;

const applied = (manager: string) => ({
  manager,
  operation: 'Apply',
  fieldsV1: {
    'f:spec': {
      'f:template': {
        'f:spec': { 'f:volumes': { 'k:{"name":"c"}': { 'f:configMap': { 'f:name': {} } } } },
      },
    },
  },
});

function coApplied(notes: Record<string, string>, managers: string[], isReloaded = false): string[] {
  const workload = reduceWorkload('Deployment')({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'ns', name: 'web', annotations: notes, managedFields: managers.map(applied) },
    spec: { template: { spec: { volumes: [{ name: 'c', configMap: { name: 'foo' } }] } } },
  } as never);
  return coAppliedReferences(
    ways,
    { workload, configOf: () => 'foo', state: { isReloaded } },
    'ConfigMap/foo',
  );
}

const reference = 'Deployment web, spec.template.spec.volumes.0.configMap.name: helm, argocd';

test('a reference that two managers apply is named', () => {
  expect(coApplied({}, ['helm', 'argocd'])).toEqual([reference]);
  expect(coApplied({}, ['helm'])).toEqual([]);
});

test('a reference that stays as it was written is not, also before admission has assigned a version', () => {
  expect(coApplied({ [annotations.references]: 'admission' }, ['helm', 'argocd'])).toEqual([]);
  expect(coApplied({}, ['helm', 'argocd'], true)).toEqual([]);
});
