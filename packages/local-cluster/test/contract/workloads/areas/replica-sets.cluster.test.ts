import { pods, replicaSets } from '@trimtab/kube/resource.ts';
import { withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { behaving, behaviourAnnotation } from '@trimtab/test-bed/simulated-pods/behaviour.ts';
import { expect } from 'vitest';
import type { Pod } from '../../../../src/objects/pod.ts';
import type { ReplicaSet } from '../../../../src/objects/workloads.ts';
import { contract } from '../../api/contract.ts';
import { caseTimeoutMs, conditionOf, Stage, saying } from '../stage.ts';
import { lonePod, replicaSet, withSpec } from '../workload-objects.ts';

const counts = ({ status }: ReplicaSet) => {
  const {
    replicas,
    readyReplicas = 0,
    availableReplicas = 0,
    terminatingReplicas = 0,
  } = status ?? { replicas: 0 };
  return [replicas, readyReplicas, availableReplicas, terminatingReplicas].join();
};

/** Waits until the ReplicaSet has this many pods, all available and none terminating. */
async function isFull(stage: Stage, name: string, size: number): Promise<ReplicaSet> {
  return stage.until<ReplicaSet>(
    `${name} has ${size} pods`,
    replicaSets,
    name,
    (set) =>
      counts(set) === `${size},${size},${size},0` &&
      set.status?.observedGeneration === set.metadata.generation,
  );
}

const namesOf = (found: readonly Pod[]) => found.map(({ metadata }) => metadata.name ?? '').sort();

contract(
  'ReplicaSets',
  (it) => {
    it('as many pods are made as are asked for, of its template and its own', async (target) => {
      const stage = await Stage.on(target);
      const { metadata } = await stage.create(replicaSet('plain', withReplicas(3)));
      const set = await isFull(stage, 'plain', 3);
      expect(set.status).toEqual({
        replicas: 3,
        fullyLabeledReplicas: 3,
        readyReplicas: 3,
        availableReplicas: 3,
        terminatingReplicas: 0,
        observedGeneration: 1,
      });
      for (const pod of await stage.pods('plain')) {
        expect(pod.metadata.name).toMatch(/^plain-[a-z0-9]{5}$/);
        expect(pod.metadata.generateName).toBe('plain-');
        expect(pod.metadata.ownerReferences).toEqual([
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: 'plain',
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ]);
      }
    });

    it('each pod that is made or deleted is told', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('telling', withReplicas(2)));
      await isFull(stage, 'telling', 2);
      const made = namesOf(await stage.pods('telling'));
      await stage.merge(replicaSets, 'telling', { spec: { replicas: 1 } });
      await isFull(stage, 'telling', 1);
      const left = namesOf(await stage.pods('telling'));
      const gone = made.filter((name) => !left.includes(name));
      const wanted = [
        ...made.map((name) => `Normal SuccessfulCreate: Created pod: ${name}`),
        ...gone.map((name) => `Normal SuccessfulDelete: Deleted pod: ${name}`),
      ];
      await stage.wait('all Events', async () => {
        const told = await stage.events('ReplicaSet', 'telling');
        const said = told.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).sort();
        expect(told.every(({ source }) => source?.component === 'replicaset-controller')).toBe(true);
        return said.join('\n') === wanted.sort().join('\n') ? { met: true } : { seen: said.join(', ') };
      });
    });

    it('a pod that somebody deletes is replaced', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('mending', withReplicas(2)));
      await isFull(stage, 'mending', 2);
      const [first = ''] = namesOf(await stage.pods('mending'));
      await stage.client.delete(pods, { namespace: stage.namespace, name: first });
      await stage.wait('a replacement pod exists', async () => {
        const names = namesOf(await stage.pods('mending'));
        return names.length === 2 && !names.includes(first) ? { met: true } : { seen: names.join() };
      });
    });

    it('a pod that has failed is replaced, and stays', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('failing'));
      await isFull(stage, 'failing', 1);
      const [name = ''] = namesOf(await stage.pods('failing'));
      await stage.merge(pods, name, { metadata: { annotations: { [behaviourAnnotation]: 'fail' } } });
      await stage.wait('a replacement pod exists', async () => {
        const names = namesOf(await stage.pods('failing'));
        return names.length === 1 && names[0] !== name ? { met: true } : { seen: names.join() };
      });
      expect((await stage.find<Pod>(pods, name))?.status?.phase).toBe('Failed');
    });

    it('it grows and shrinks as it is asked to, down to nothing', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('breathing'));
      for (const replicas of [4, 2, 0]) {
        await stage.merge(replicaSets, 'breathing', { spec: { replicas } });
        await isFull(stage, 'breathing', replicas);
        expect(await stage.pods('breathing')).toHaveLength(replicas);
      }
    });

    it('of its pods, one that is not Ready goes first', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('choosing', withReplicas(3)));
      await isFull(stage, 'choosing', 3);
      const [, sick = ''] = namesOf(await stage.pods('choosing'));
      await stage.merge(pods, sick, { metadata: { annotations: { [behaviourAnnotation]: 'unready' } } });
      await stage.until<ReplicaSet>(
        'one pod is not Ready',
        replicaSets,
        'choosing',
        (set) => counts(set) === '3,2,2,0',
      );
      await stage.merge(replicaSets, 'choosing', { spec: { replicas: 2 } });
      await isFull(stage, 'choosing', 2);
      expect(namesOf(await stage.pods('choosing'))).not.toContain(sick);
    });

    it('of its pods, those that cost least to delete go first', async (target) => {
      const stage = await Stage.on(target);
      const saving = replicaSet('saving', withReplicas(4));
      saving.spec.template.metadata.labels = { app: 'saving', known: 'no' };
      await stage.create(saving);
      await isFull(stage, 'saving', 4);
      const [a = '', b = '', c = '', d = ''] = namesOf(await stage.pods('saving'));
      for (const [name, cost] of [
        [a, '10'],
        [b, '-5'],
        [d, '5'],
      ] as const) {
        const annotations = { 'controller.kubernetes.io/pod-deletion-cost': cost };
        await stage.merge(pods, name, { metadata: { annotations } });
      }
      // The controller watches pods and ReplicaSets separately. A label that differs from the template changes the
      // status, which shows that the controller has observed the costs.
      await stage.merge(pods, a, { metadata: { labels: { known: 'yes' } } });
      await stage.until<ReplicaSet>(
        'the costs are known',
        replicaSets,
        'saving',
        ({ status }) => status?.fullyLabeledReplicas === 3,
      );
      for (const [replicas, left] of [
        [3, [a, c, d]],
        [2, [a, d]],
        [1, [a]],
      ] as const) {
        await stage.merge(replicaSets, 'saving', { spec: { replicas } });
        await isFull(stage, 'saving', replicas);
        expect(namesOf(await stage.pods('saving'))).toEqual(left);
      }
    });

    it('pods that it selects and that nobody controls are adopted, and count', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(lonePod('orphan', 'adopting'));
      const { metadata } = await stage.create(replicaSet('adopting', withReplicas(2)));
      await isFull(stage, 'adopting', 2);
      const orphan = await stage.find(pods, 'orphan');
      expect(orphan?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
      expect(await stage.pods('adopting')).toHaveLength(2);
    });

    it('an orphan that is one too many is adopted, and one of them goes', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('crowded'));
      await isFull(stage, 'crowded', 1);
      await stage.create(lonePod('surplus', 'crowded'));
      await stage.wait('one pod is left', async () => {
        const names = namesOf(await stage.pods('crowded'));
        const told = await stage.events('ReplicaSet', 'crowded');
        const isTold = told.some(({ reason }) => reason === 'SuccessfulDelete');
        return names.length === 1 && isTold ? { met: true } : { seen: names.join() };
      });
    });

    it('a pod that it selects no more is let go and replaced', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('releasing'));
      await isFull(stage, 'releasing', 1);
      const [name = ''] = namesOf(await stage.pods('releasing'));
      await stage.merge(pods, name, { metadata: { labels: { app: 'on-its-own' } } });
      await stage.until<Pod>(
        'the pod is released',
        pods,
        name,
        ({ metadata }) => !metadata.ownerReferences?.length,
      );
      await isFull(stage, 'releasing', 1);
      expect(namesOf(await stage.pods('releasing'))).not.toContain(name);
      expect(namesOf(await stage.pods('on-its-own'))).toEqual([name]);
    });

    it('a pod of somebody else is left alone', async (target) => {
      const stage = await Stage.on(target);
      const first = replicaSet('first-owner', withSpec({ selector: { matchLabels: { app: 'shared' } } }));
      const second = replicaSet('second-owner', withSpec({ selector: { matchLabels: { app: 'shared' } } }));
      for (const each of [first, second]) each.spec.template.metadata.labels = { app: 'shared' };
      await stage.create(first);
      await isFull(stage, 'first-owner', 1);
      await stage.create(second);
      await isFull(stage, 'second-owner', 1);
      const owners = (await stage.pods('shared')).map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
      expect(owners.sort()).toEqual(['first-owner', 'second-owner']);
    });

    it('pods that are deleted and not gone yet are counted as such', async (target) => {
      const stage = await Stage.on(target);
      const held = replicaSet('held');
      held.spec.template.metadata.finalizers = ['test.dev/hold'];
      await stage.create(held);
      await isFull(stage, 'held', 1);
      const [name = ''] = namesOf(await stage.pods('held'));
      await stage.client.delete(pods, { namespace: stage.namespace, name });
      const letGo = (pod: string) => stage.merge(pods, pod, { metadata: { finalizers: null } });
      try {
        await stage.until<ReplicaSet>(
          'one pod is terminating',
          replicaSets,
          'held',
          (set) => counts(set) === '1,1,1,1',
        );
        await letGo(name);
        await isFull(stage, 'held', 1);
      } finally {
        for (const pod of await stage.pods('held')) await letGo(pod.metadata.name ?? '');
      }
    });

    it('a pod is available when it has been Ready for long enough', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('patient', withSpec({ minReadySeconds: 2 })));
      await stage.until<ReplicaSet>(
        'the pod is Ready and not yet available',
        replicaSets,
        'patient',
        (set) => counts(set) === '1,1,0,0',
      );
      await isFull(stage, 'patient', 1);
    });

    it('a pod that does not get Ready is there, and no more', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('sick', behaving('unready')));
      await stage.until<ReplicaSet>(
        'the pod exists',
        replicaSets,
        'sick',
        (set) => counts(set) === '1,0,0,0',
      );
    });

    it('pods that cannot be made are told with the reason, until they can', async (target) => {
      const stage = await Stage.on(target);
      const refused = replicaSet('refused', withReplicas(2));
      refused.spec.template.spec.serviceAccountName = 'absent';
      await stage.create(refused);
      const set = await stage.until<ReplicaSet>(
        'the condition ReplicaFailure',
        replicaSets,
        'refused',
        ({ status }) => Boolean(status?.conditions?.length),
      );
      const why = `pods "refused-" is forbidden: error looking up service account ${stage.namespace}/absent: serviceaccount "absent" not found`;
      expect(saying(conditionOf(set.status?.conditions, 'ReplicaFailure'))).toBe(`True FailedCreate: ${why}`);
      await stage.wait('the FailedCreate Event', async () => {
        const told = await stage.events('ReplicaSet', 'refused');
        const said = told.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
        return said.includes(`Warning FailedCreate: Error creating: ${why}`)
          ? { met: true }
          : { seen: said.join() };
      });
      await stage.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'absent' } });
      const full = await isFull(stage, 'refused', 2);
      expect(full.status?.conditions).toBeUndefined();
    });

    it('pods of a ReplicaSet that was deleted alone belong to the next one of its name', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('inherited', withReplicas(2)));
      await isFull(stage, 'inherited', 2);
      const before = namesOf(await stage.pods('inherited'));
      const where = { namespace: stage.namespace, name: 'inherited' };
      await stage.client.delete(replicaSets, where, { propagationPolicy: 'Orphan' });
      await stage.wait('the ReplicaSet is gone', async () =>
        (await stage.find(replicaSets, 'inherited')) === undefined ? { met: true } : { seen: 'it is there' },
      );
      await stage.create(replicaSet('inherited', withReplicas(2)));
      await isFull(stage, 'inherited', 2);
      expect(namesOf(await stage.pods('inherited'))).toEqual(before);
    });

    it('a ReplicaSet that is deleted takes its pods along', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('ending', withReplicas(2)));
      await isFull(stage, 'ending', 2);
      await stage.client.delete(replicaSets, { namespace: stage.namespace, name: 'ending' });
      await stage.wait('the pods are gone', async () => {
        const left = await stage.pods('ending');
        return left.length === 0 ? { met: true } : { seen: `${left.length} pods` };
      });
    });
  },
  { pods: 'simulated', atOnce: true, timeoutMs: caseTimeoutMs },
);
