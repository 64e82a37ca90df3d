import type { KubeClient, Patch } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { assignOperations } from '../../core/references/assignment.ts';
import { workload as reduceWorkload } from '../../core/workload/reduce-workload.ts';
import type { ControllerContext } from '../context.ts';
import { changeReferences, type ReferenceChange } from './change-references.ts';
import { MoveByAdmission } from './move-by-admission.ts';

const owned = (operation: 'Apply' | 'Update') => ({
  manager: 'kubectl',
  operation,
  fieldsV1: {
    'f:spec': {
      'f:replicas': {},
      'f:template': {
        'f:spec': { 'f:volumes': { 'k:{"name":"c"}': { 'f:configMap': { 'f:name': {} } } } },
      },
    },
  },
});

const deployment = (name: string, operation: 'Apply' | 'Update') =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'ns', name: 'web', uid: 'u1', managedFields: [owned(operation)] },
    spec: { template: { spec: { volumes: [{ name: 'c', configMap: { name } }] } } },
  }) as KubeObject;

const toVersion: ReferenceChange = {
  tests: () => [],
  references: ({ references }) =>
    assignOperations(references, new Map([['ConfigMap/foo', 'foo-1']]), () => 'foo'),
  templateAnnotations: () => new Map(),
  label: 'hash',
  record: undefined,
  annotations: new Map(),
};

/** Changes the references of a workload whose manifest was written in this way. Returns the patched paths. */
async function changedByAdmission(operation: 'Apply' | 'Update'): Promise<string[][]> {
  const patches: string[][] = [];
  const after = deployment('foo-1', operation);
  const client = {
    async patch(_: unknown, __: unknown, { operations }: Patch & { type: 'json' }) {
      patches.push(operations.filter(({ op }) => op !== 'test').map(({ path }) => path));
      if (patches.length > 1) (after.metadata as { managedFields: unknown }).managedFields = [];
      return after;
    },
  } as unknown as KubeClient;
  const moves = new MoveByAdmission(new ManualClock(), true);
  const context = { client, moves, log: silentLogger } as unknown as ControllerContext;
  const workload = reduceWorkload('Deployment')(deployment('foo', operation));
  await changeReferences(context, workload, toVersion, new AbortController().signal);
  return patches;
}

const move = ['/metadata/annotations'];

test('fields that a client owns because of an update are given back as soon as admission has changed them', async () => {
  expect(await changedByAdmission('Update')).toEqual([move, ['/metadata/managedFields/0/fieldsV1']]);
});

test('fields that a manager applies stay with it: the change is one write', async () => {
  expect(await changedByAdmission('Apply')).toEqual([move]);
});
