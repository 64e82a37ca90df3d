import { pods } from '@trimtab/kube/resource.ts';
import { withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { replicationControllers } from '@trimtab/test-bed/objects/resources.ts';
import { expect } from 'vitest';
import type { Pod } from '../../../../src/objects/pod.ts';
import type { ReplicationController } from '../../../../src/objects/workloads.ts';
import { contract } from '../../api/contract.ts';
import { caseTimeoutMs, conditionOf, Stage, saying } from '../stage.ts';
import { lonePod, replicationController, withSpec } from '../workload-objects.ts';

/** Waits until the ReplicationController has this many pods, all available. */
async function isFull(stage: Stage, name: string, size: number): Promise<ReplicationController> {
  return stage.until<ReplicationController>(
    `${name} has ${size} pods`,
    replicationControllers,
    name,
    ({ metadata, status }) =>
      status?.replicas === size &&
      (status.availableReplicas ?? 0) === size &&
      status.observedGeneration === metadata.generation,
  );
}

/** Waits until the Event exists, and returns its source component. */
async function reported(stage: Stage, name: string, event: string): Promise<string | undefined> {
  return stage.wait(event, async () => {
    const found = await stage.events('ReplicationController', name);
    const seen = found.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    const index = seen.indexOf(event);
    return index < 0 ? { seen: seen.join(', ') } : { met: found[index]?.source?.component };
  });
}

async function isDeleted(stage: Stage, name: string): Promise<void> {
  await stage.wait(`${name} is deleted`, async () =>
    (await stage.find(replicationControllers, name)) === undefined
      ? { met: true }
      : { seen: `${name} exists` },
  );
}

const namesOf = (found: readonly Pod[]) => found.map(({ metadata }) => metadata.name ?? '').sort();

contract(
  'ReplicationControllers',
  (it) => {
    it('a ReplicationController creates its pods and counts them', async (target) => {
      const stage = await Stage.on(target);
      const { metadata } = await stage.create(replicationController('plain', withReplicas(3)));
      const { status } = await isFull(stage, 'plain', 3);
      expect(status).toEqual({
        replicas: 3,
        fullyLabeledReplicas: 3,
        readyReplicas: 3,
        availableReplicas: 3,
        observedGeneration: 1,
      });
      for (const pod of await stage.pods('plain')) {
        expect(pod.metadata.name).toMatch(/^plain-[a-z0-9]{5}$/);
        expect(pod.metadata.generateName).toBe('plain-');
        expect(pod.metadata.labels).toEqual({ app: 'plain' });
        expect(pod.metadata.ownerReferences).toEqual([
          {
            apiVersion: 'v1',
            kind: 'ReplicationController',
            name: 'plain',
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ]);
      }
    });

    it(
      'kubectl scales a ReplicationController, and an Event reports each pod',
      async (target) => {
        const stage = await Stage.on(target);
        await stage.create(replicationController('scaled'));
        await isFull(stage, 'scaled', 1);
        const [first = ''] = namesOf(await stage.pods('scaled'));
        expect(await stage.kubectl('scale', 'rc', 'scaled', '--replicas=2')).toBe(
          'replicationcontroller/scaled scaled\n',
        );
        await isFull(stage, 'scaled', 2);
        await stage.kubectl('scale', 'rc/scaled', '--current-replicas=2', '--replicas=0');
        const { status } = await isFull(stage, 'scaled', 0);
        expect(status).toEqual({ replicas: 0, observedGeneration: 3 });
        for (const event of [
          `Normal SuccessfulCreate: Created pod: ${first}`,
          `Normal SuccessfulDelete: Deleted pod: ${first}`,
        ])
          expect(await reported(stage, 'scaled', event)).toBe('replication-controller');
      },
      { needs: 'kubectl' },
    );

    it(
      'kubectl lists and describes a ReplicationController',
      async (target) => {
        const stage = await Stage.on(target);
        await stage.create(replicationController('shown'));
        await isFull(stage, 'shown', 1);
        const [header, row] = (await stage.kubectl('get', 'rc', 'shown')).split('\n');
        expect(header).toMatch(/^NAME +DESIRED +CURRENT +READY +AGE$/);
        expect(row).toMatch(/^shown +1 +1 +1 +\d+s$/);
        expect(await stage.kubectl('describe', 'rc', 'shown')).toMatch(
          /^Selector: +app=shown\n(.*\n)*Replicas: +1 current \/ 1 desired\nPods Status: +1 Running/m,
        );
      },
      { needs: 'kubectl' },
    );

    it('a pod that is deleted is replaced', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicationController('mending', withReplicas(2)));
      await isFull(stage, 'mending', 2);
      const [first = ''] = namesOf(await stage.pods('mending'));
      await stage.client.delete(pods, { namespace: stage.namespace, name: first });
      await stage.wait('a replacement pod exists', async () => {
        const names = namesOf(await stage.pods('mending'));
        return names.length === 2 && !names.includes(first) ? { met: true } : { seen: names.join() };
      });
    });

    it('a pod without a controller that it selects is adopted', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(lonePod('orphan', 'adopting'));
      const { metadata } = await stage.create(replicationController('adopting', withReplicas(2)));
      await isFull(stage, 'adopting', 2);
      const orphan = await stage.find(pods, 'orphan');
      expect(orphan?.metadata.ownerReferences).toMatchObject([
        { apiVersion: 'v1', kind: 'ReplicationController', uid: metadata.uid, controller: true },
      ]);
      expect(await stage.pods('adopting')).toHaveLength(2);
    });

    it('a pod whose labels no longer match is released and replaced', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicationController('releasing'));
      await isFull(stage, 'releasing', 1);
      const [name = ''] = namesOf(await stage.pods('releasing'));
      await stage.merge(pods, name, { metadata: { labels: { app: 'released' } } });
      await stage.until<Pod>(
        'the pod is released',
        pods,
        name,
        ({ metadata }) => !metadata.ownerReferences?.length,
      );
      await isFull(stage, 'releasing', 1);
      expect(namesOf(await stage.pods('releasing'))).not.toContain(name);
      expect(namesOf(await stage.pods('released'))).toEqual([name]);
    });

    it('pods of a selector that has changed are released', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicationController('renamed'));
      await isFull(stage, 'renamed', 1);
      const before = namesOf(await stage.pods('renamed'));
      await stage.merge(replicationControllers, 'renamed', {
        spec: { selector: { app: 'other' }, template: { metadata: { labels: { app: 'other' } } } },
      });
      await isFull(stage, 'renamed', 1);
      expect(namesOf(await stage.pods('renamed'))).toEqual(before);
      expect(await stage.pods('other')).toHaveLength(1);
    });

    it('pods that cannot be created are reported in a condition', async (target) => {
      const stage = await Stage.on(target);
      const refused = replicationController('refused');
      refused.spec.template.spec.serviceAccountName = 'absent';
      await stage.create(refused);
      const { status } = await stage.until<ReplicationController>(
        'the condition ReplicaFailure',
        replicationControllers,
        'refused',
        ({ status }) => Boolean(status?.conditions?.length),
      );
      const why = `pods "refused-" is forbidden: error looking up service account ${stage.namespace}/absent: serviceaccount "absent" not found`;
      expect(saying(conditionOf(status?.conditions, 'ReplicaFailure'))).toBe(`True FailedCreate: ${why}`);
      await reported(stage, 'refused', `Warning FailedCreate: Error creating: ${why}`);
      await stage.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'absent' } });
      const full = await isFull(stage, 'refused', 1);
      expect(full.status?.conditions).toBeUndefined();
    });

    it('a pod is available after minReadySeconds', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicationController('patient', withSpec({ minReadySeconds: 2 })));
      await stage.until<ReplicationController>(
        'the pod is Ready and not yet available',
        replicationControllers,
        'patient',
        ({ status }) => status?.readyReplicas === 1 && status.availableReplicas === undefined,
      );
      await isFull(stage, 'patient', 1);
    });

    it('a deletion without a propagation policy orphans the pods', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicationController('orphaning', withReplicas(2)));
      await isFull(stage, 'orphaning', 2);
      const before = namesOf(await stage.pods('orphaning'));
      await stage.client.delete(replicationControllers, { namespace: stage.namespace, name: 'orphaning' });
      await isDeleted(stage, 'orphaning');
      const left = await stage.pods('orphaning');
      expect(namesOf(left)).toEqual(before);
      expect(left.flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
    });

    for (const policy of ['Background', 'Foreground'] as const)
      it(`a deletion with the policy ${policy} deletes the pods`, async (target) => {
        const stage = await Stage.on(target);
        const name = `ending-${policy.toLowerCase()}`;
        await stage.create(replicationController(name, withReplicas(2)));
        await isFull(stage, name, 2);
        const where = { namespace: stage.namespace, name };
        await stage.client.delete(replicationControllers, where, { propagationPolicy: policy });
        await isDeleted(stage, name);
        await stage.wait('the pods are deleted', async () => {
          const left = await stage.pods(name);
          return left.length === 0 ? { met: true } : { seen: `${left.length} pods` };
        });
      });
  },
  { pods: 'simulated', atOnce: true, timeoutMs: caseTimeoutMs },
);
