import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import { deploymentOf, setOf } from '../../../test/support/workload-objects.ts';
import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import { createSet, scaleSets } from './carry-out.ts';
import { deploymentSnapshot } from './deployment-snapshot.ts';
import { newReplicaSet } from './new-set.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const refusal = (code: number, reason: string, causes: object[] = []) =>
  new ApiError(code, {
    apiVersion: 'v1',
    kind: 'Status',
    reason,
    message: 'the words of the server',
    details: { causes },
  });

/** A fake server that holds one ReplicaSet and fails creations with `creation`. */
function scene({ creation, found }: { creation?: Error; found?: ReplicaSet } = {}) {
  const written: Deployment[] = [];
  const updated: ReplicaSet[] = [];
  const events: string[] = [];
  const client = {
    create: async (_: unknown, object: unknown) => {
      if (creation) throw creation;
      return object;
    },
    get: async () => found,
    update: async (_: unknown, object: Deployment & ReplicaSet, options?: { subresource?: string }) => {
      (options?.subresource === 'status' ? written : updated).push(object);
      return object;
    },
  } as unknown as KubeClient;
  const means = {
    client,
    now,
    recordEvent: (...said: string[]) => void events.push(said.join(' ')),
  };
  return { means, written, updated, events };
}

const deployment = deploymentOf({ status: { conditions: [] } });
const wanted = newReplicaSet(deploymentSnapshot(deployment, []));
const { name } = wanted.metadata;
const revision = (written: Deployment[]) =>
  written.map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision']);

test('a ReplicaSet that was made is told, with its revision', async () => {
  const { means, written, events } = scene();
  await createSet(means, deployment, wanted);
  expect(events).toEqual([`Normal ScalingReplicaSet Scaled up replica set ${name} from 0 to 3`]);
  expect(revision(written)).toEqual(['1']);
  expect(written[0]?.status?.conditions).toMatchObject([
    {
      type: 'Progressing',
      status: 'True',
      reason: 'NewReplicaSetCreated',
      message: `Created new replica set "${name}"`,
    },
  ]);
});

test('one that was made before, when nobody saw it, is taken without a word', async () => {
  const { means, written, events } = scene({ creation: refusal(409, 'AlreadyExists'), found: wanted });
  await createSet(means, deployment, wanted);
  expect(events).toEqual([]);
  expect(revision(written)).toEqual(['1']);
  expect(written[0]?.status?.collisionCount).toBeUndefined();
});

test.each<[string, ReplicaSet]>([
  ['somebody else', { ...wanted, metadata: { name: name ?? '' } }],
  ['another template', { ...wanted, spec: setOf('other', { image: 'another' }).spec }],
])('one of the same name and %s is a collision, and the next try has another name', async (_, found) => {
  const { means, written } = scene({ creation: refusal(409, 'AlreadyExists'), found });
  await createSet(means, deployment, wanted);
  expect(written.map(({ status }) => status?.collisionCount)).toEqual([1]);
  const next = newReplicaSet(deploymentSnapshot({ ...deployment, status: { collisionCount: 1 } }, []));
  expect(next.metadata.name).not.toBe(name);
});

test('a refusal is told once in the status, each time as an event, and thrown for another try', async () => {
  const error = refusal(403, 'Forbidden');
  const { means, written, events } = scene({ creation: error });
  await expect(createSet(means, deployment, wanted)).rejects.toBe(error);
  const message = `Failed to create new replica set "${name}": the words of the server`;
  expect(events).toEqual([`Warning ReplicaSetCreateError ${message}`]);
  expect(written[0]?.status?.conditions).toMatchObject([
    { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message },
  ]);
  await expect(createSet(means, written[0] ?? deployment, wanted)).rejects.toBe(error);
  expect([written.length, events.length]).toEqual([1, 2]);
});

test('in a namespace that goes away nothing is said', async () => {
  const { means, written, events } = scene({
    creation: refusal(403, 'Forbidden', [{ reason: 'NamespaceTerminating' }]),
  });
  await createSet(means, deployment, wanted);
  expect([written, events]).toEqual([[], []]);
});

test('one that is scaled twice goes on from where it was', async () => {
  const { means, updated, events } = scene();
  const set = setOf('web-1', { replicas: 4 });
  const scaled = await scaleSets(means, deployment, [
    { set, to: 3 },
    { set, to: 1 },
  ]);
  expect(updated.map(({ spec }) => spec.replicas)).toEqual([3, 1]);
  expect(events).toEqual([
    'Normal ScalingReplicaSet Scaled down replica set web-1 from 4 to 3',
    'Normal ScalingReplicaSet Scaled down replica set web-1 from 3 to 1',
  ]);
  expect(scaled.get('web-1-uid')?.spec.replicas).toBe(1);
});

test('one that keeps its size gets the new sizes in its annotations, if they are new', async () => {
  const { means, updated, events } = scene();
  await scaleSets(means, deployment, [{ set: setOf('web-1', { desired: 2, max: 3 }), to: 3 }]);
  await scaleSets(means, deployment, [{ set: setOf('web-2', { desired: 3, max: 4 }), to: 3 }]);
  expect(updated.map(({ metadata }) => metadata.name)).toEqual(['web-1']);
  expect(events).toEqual([]);
});
