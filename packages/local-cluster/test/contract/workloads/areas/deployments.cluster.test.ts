import { deployments, pods, replicaSets } from '@trimtab/kube/resource.ts';
import { annotated, labelled } from '@trimtab/test-bed/objects/build.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { expect } from 'vitest';
import type { Deployment, ReplicaSet } from '../../../../src/objects/workloads.ts';
import { contract } from '../../api/contract.ts';
import { binding, bindings, policies, policy } from '../../api/policy-objects.ts';
import { caseTimeoutMs, conditionOf, hashOf, revisionOf, Stage, saying } from '../stage.ts';
import { replicaSet, rolling, template, withSpec } from '../workload-objects.ts';

const prefix = 'deployment.kubernetes.io/';

/** Creates a Deployment, waits until it is rolled out, and returns its ReplicaSet. */
async function up(stage: Stage, ...args: Parameters<typeof deployment>): Promise<ReplicaSet> {
  await stage.create(deployment(...args));
  await stage.rolledOut(args[0]);
  const [set] = await stage.sets(args[0]);
  if (set === undefined) throw new Error(`Deployment ${args[0]} is rolled out but has no ReplicaSet`);
  return set;
}

async function updated(stage: Stage, name: string, note: string): Promise<void> {
  await stage.retemplate(name, template(name, note));
  await stage.rolledOut(name);
}

/** Waits for the Events of a Deployment, with `#2` in place of the name of the ReplicaSet of revision 2. */
async function told(stage: Stage, name: string, wanted: string[]): Promise<void> {
  const sets = await stage.sets(name);
  await stage.wait(`the Events of ${name}`, async () => {
    const said = (await stage.events('Deployment', name)).map(({ type, reason, message, source }) =>
      sets.reduce(
        (text, set) => text.replace(set.metadata.name ?? '', `#${revisionOf(set)}`),
        `${source?.component} ${type} ${reason}: ${message}`,
      ),
    );
    const expected = wanted.map((each) => `deployment-controller Normal ScalingReplicaSet: ${each}`);
    return said.join('\n') === expected.join('\n') ? { met: true } : { seen: said.join('\n') };
  });
}

contract(
  'Deployments',
  (it) => {
    it('a Deployment makes a ReplicaSet of its template, which is its own', async (target) => {
      const stage = await Stage.on(target);
      const set = await up(stage, 'plain', withReplicas(3));
      const { metadata } = await stage.deployment('plain');
      const hash = hashOf(set);
      expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
      expect(set.metadata).toMatchObject({
        name: `plain-${hash}`,
        labels: { app: 'plain', 'pod-template-hash': hash },
        annotations: {
          [`${prefix}revision`]: '1',
          [`${prefix}desired-replicas`]: '3',
          [`${prefix}max-replicas`]: '4',
        },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'plain',
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      });
      expect(set.spec.selector).toEqual({ matchLabels: { app: 'plain', 'pod-template-hash': hash } });
      expect(set.spec.template.metadata?.labels).toEqual({ app: 'plain', 'pod-template-hash': hash });
      for (const pod of await stage.pods('plain')) {
        expect(pod.metadata.name).toMatch(new RegExp(`^plain-${hash}-[a-z0-9]{5}$`));
        expect(pod.metadata.labels).toEqual({ app: 'plain', 'pod-template-hash': hash });
      }
    });

    it('a Deployment that is up says so in its status', async (target) => {
      const stage = await Stage.on(target);
      const set = await up(stage, 'healthy', withReplicas(2));
      const { metadata, status } = await stage.deployment('healthy');
      const { conditions, ...counts } = status ?? {};
      expect(metadata.annotations?.[`${prefix}revision`]).toBe('1');
      expect(metadata.generation).toBe(1);
      expect(counts).toEqual({
        observedGeneration: 1,
        replicas: 2,
        updatedReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        terminatingReplicas: 0,
      });
      expect(saying(conditionOf(conditions, 'Available'))).toBe(
        'True MinimumReplicasAvailable: Deployment has minimum availability.',
      );
      expect(saying(conditionOf(conditions, 'Progressing'))).toBe(
        `True NewReplicaSetAvailable: ReplicaSet "${set.metadata.name}" has successfully progressed.`,
      );
      expect(conditions).toHaveLength(2);
    });

    it('an update makes a second revision, step by step, and every step is told', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'stepping', withReplicas(2), rolling(1, 0));
      await updated(stage, 'stepping', 'two');
      const sets = await stage.sized('stepping', 0, 2);
      expect(sets.map(revisionOf)).toEqual([1, 2]);
      expect(revisionOf(await stage.deployment('stepping'))).toBe(2);
      await told(stage, 'stepping', [
        'Scaled up replica set #1 from 0 to 2',
        'Scaled up replica set #2 from 0 to 1',
        'Scaled down replica set #1 from 2 to 1',
        'Scaled up replica set #2 from 1 to 2',
        'Scaled down replica set #1 from 1 to 0',
      ]);
    });

    it('going back to an old template takes its ReplicaSet again, as a new revision', async (target) => {
      const stage = await Stage.on(target);
      const first = await up(stage, 'returning');
      const { template: original } = (await stage.deployment('returning')).spec;
      await updated(stage, 'returning', 'two');
      await stage.retemplate('returning', original);
      await stage.rolledOut('returning');
      const sets = await stage.sized('returning', 0, 1);
      expect(sets.map(revisionOf)).toEqual([2, 3]);
      expect(sets[1]?.metadata.uid).toBe(first.metadata.uid);
      expect(sets[1]?.metadata.annotations?.[`${prefix}revision-history`]).toBe('1');
      expect(revisionOf(await stage.deployment('returning'))).toBe(3);
    });

    it('a change that is not of the template makes no revision', async (target) => {
      const stage = await Stage.on(target);
      const set = await up(stage, 'unchanged');
      await stage.merge(deployments, 'unchanged', {
        metadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
        spec: { progressDeadlineSeconds: 500, revisionHistoryLimit: 5 },
      });
      await stage.until<ReplicaSet>(
        'the annotation arrives',
        replicaSets,
        set.metadata.name ?? '',
        ({ metadata }) => metadata.annotations?.['note'] === 'b',
      );
      await stage.rolledOut('unchanged');
      expect(await stage.sets('unchanged')).toHaveLength(1);
    });

    it('its annotations are on its newest ReplicaSet, but for those that are about itself', async (target) => {
      const stage = await Stage.on(target);
      const own = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
      await up(stage, 'noted', annotated({ 'kubernetes.io/change-cause': 'first', ...own }));
      await stage.merge(deployments, 'noted', {
        metadata: { annotations: { 'kubernetes.io/change-cause': 'second' } },
        spec: { template: template('noted', 'two') },
      });
      await stage.rolledOut('noted');
      const sets = await stage.sets('noted');
      const causes = sets.map(({ metadata }) => metadata.annotations?.['kubernetes.io/change-cause']);
      expect(causes).toEqual(['first', 'second']);
      expect(Object.keys(sets[0]?.metadata.annotations ?? {}).sort()).toEqual([
        `${prefix}desired-replicas`,
        `${prefix}max-replicas`,
        `${prefix}revision`,
        'kubernetes.io/change-cause',
      ]);
    });

    it('scaling scales the one ReplicaSet, and is no revision', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'growing', withReplicas(2), rolling('50%', 0));
      await stage.merge(deployments, 'growing', { spec: { replicas: 5 } });
      await stage.rolledOut('growing');
      const [set] = await stage.sized('growing', 5);
      expect(set?.metadata.annotations).toMatchObject({
        [`${prefix}revision`]: '1',
        [`${prefix}desired-replicas`]: '5',
        [`${prefix}max-replicas`]: '8',
      });
      await told(stage, 'growing', [
        'Scaled up replica set #1 from 0 to 2',
        'Scaled up replica set #1 from 2 to 5',
      ]);
    });

    it('a Deployment of nothing has a ReplicaSet of nothing, and is complete', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'nothing', withReplicas(0));
      await stage.sized('nothing', 0);
      const { status } = await stage.deployment('nothing');
      expect(status).toMatchObject({ observedGeneration: 1, terminatingReplicas: 0 });
      expect(status?.replicas).toBeUndefined();
      expect(conditionOf(status?.conditions, 'Available')?.status).toBe('True');
      await told(stage, 'nothing', []);
    });

    it('when it shrinks, a pod goes where most of its pods are', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'spread', withReplicas(5));
      for (const replicas of [4, 3, 2]) {
        const before = await stage.pods('spread');
        await stage.merge(deployments, 'spread', { spec: { replicas } });
        await stage.rolledOut('spread');
        const after = (await stage.pods('spread')).map(({ metadata }) => metadata.name);
        const onNode = (name: string | undefined) =>
          before.filter(({ spec }) => spec.nodeName === name).length;
        const [gone, ...others] = before.filter(({ metadata }) => !after.includes(metadata.name));
        expect(others).toEqual([]);
        expect(onNode(gone?.spec.nodeName)).toBe(
          Math.max(...before.map(({ spec }) => onNode(spec.nodeName))),
        );
      }
    });

    it('no more old ReplicaSets are kept than asked for', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'forgetful', withSpec({ revisionHistoryLimit: 1 }));
      for (const note of ['two', 'three', 'four']) await updated(stage, 'forgetful', note);
      await stage.wait('two ReplicaSets are left', async () => {
        const revisions = (await stage.sets('forgetful')).map(revisionOf);
        return revisions.join() === '3,4' ? { met: true } : { seen: revisions.join() };
      });
    });

    it('no history at all can be kept', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'present', withSpec({ revisionHistoryLimit: 0 }));
      await updated(stage, 'present', 'two');
      await stage.wait('one ReplicaSet is left', async () => {
        const revisions = (await stage.sets('present')).map(revisionOf);
        return revisions.join() === '2' ? { met: true } : { seen: revisions.join() };
      });
    });

    it('a ReplicaSet that somebody deletes is made again under its name', async (target) => {
      const stage = await Stage.on(target);
      const set = await up(stage, 'stubborn');
      const { name = '', uid } = set.metadata;
      await stage.client.delete(replicaSets, { namespace: stage.namespace, name });
      await stage.until<ReplicaSet>(
        'the ReplicaSet is recreated',
        replicaSets,
        name,
        ({ metadata }) => metadata.uid !== uid,
      );
      await stage.rolledOut('stubborn');
    });

    it('a ReplicaSet that somebody scales goes back to its size', async (target) => {
      const stage = await Stage.on(target);
      const { metadata } = await up(stage, 'steady', withReplicas(2));
      const { generation } = (await stage.set(metadata.name ?? '')).metadata;
      await stage.merge(replicaSets, metadata.name ?? '', { spec: { replicas: 4 } });
      await stage.until<ReplicaSet>(
        'the ReplicaSet has its former size',
        replicaSets,
        metadata.name ?? '',
        (set) => (set.metadata.generation ?? 0) > (generation ?? 0) + 1 && set.spec.replicas === 2,
      );
      await stage.rolledOut('steady');
    });

    it('a ReplicaSet that it selects and nobody controls is adopted as an old one, and ends', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(replicaSet('adopted', withReplicas(1)));
      await stage.until<ReplicaSet>(
        'the pod of the ReplicaSet is ready',
        replicaSets,
        'adopted',
        ({ status }) => status?.readyReplicas === 1,
      );
      await stage.merge(replicaSets, 'adopted', { metadata: { labels: { app: 'adopting' } } });
      const { metadata } = await stage.create(deployment('adopting'));
      const set = await stage.until<ReplicaSet>('the ReplicaSet is adopted', replicaSets, 'adopted', (each) =>
        Boolean(each.metadata.ownerReferences?.length),
      );
      expect(set.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
      await stage.until<ReplicaSet>(
        'the ReplicaSet is scaled to zero',
        replicaSets,
        'adopted',
        ({ spec }) => spec.replicas === 0,
      );
      await stage.rolledOut('adopting');
    });

    it('what it left behind becomes its own again when it is made anew', async (target) => {
      const stage = await Stage.on(target);
      const set = await up(stage, 'reborn');
      const where = { namespace: stage.namespace, name: 'reborn' };
      await stage.client.delete(deployments, where, { propagationPolicy: 'Orphan' });
      await stage.wait('the Deployment is gone', async () =>
        (await stage.find(deployments, 'reborn')) === undefined ? { met: true } : { seen: 'it is there' },
      );
      await stage.create(deployment('reborn'));
      await stage.rolledOut('reborn');
      const sets = await stage.sets('reborn');
      expect(sets.map(({ metadata }) => metadata.uid)).toEqual([set.metadata.uid]);
      expect(revisionOf(await stage.deployment('reborn'))).toBe(1);
    });

    it('a ReplicaSet that it selects no more is let go, and another is made under another name', async (target) => {
      const stage = await Stage.on(target);
      const first = await up(stage, 'colliding');
      const { name = '' } = first.metadata;
      await stage.merge(replicaSets, name, { metadata: { labels: { app: 'elsewhere' } } });
      await stage.until<ReplicaSet>(
        'the ReplicaSet is released',
        replicaSets,
        name,
        ({ metadata }) => !metadata.ownerReferences?.length,
      );
      // The released ReplicaSet keeps the name that the same template yields, which causes a collision.
      await stage.until<Deployment>(
        'the status reports the collision',
        deployments,
        'colliding',
        ({ status }) => status?.collisionCount === 1,
      );
      const [second] = await stage.sized('colliding', 1);
      expect(second?.metadata.name).not.toBe(name);
      expect((await stage.set(name)).spec.replicas).toBe(1);
    });

    it('a new minReadySeconds reaches its ReplicaSet, and is no revision', async (target) => {
      const stage = await Stage.on(target);
      const set = await up(stage, 'patient');
      await stage.merge(deployments, 'patient', { spec: { minReadySeconds: 1 } });
      await stage.until<ReplicaSet>(
        'the ReplicaSet has minReadySeconds',
        replicaSets,
        set.metadata.name ?? '',
        ({ spec }) => spec.minReadySeconds === 1,
      );
      await stage.rolledOut('patient');
      expect(await stage.sets('patient')).toHaveLength(1);
    });

    it('a pod that gets sick makes it unavailable, and well again', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'delicate');
      const [pod] = await stage.pods('delicate');
      const behave = (behaviour: string | null) =>
        stage.merge(pods, pod?.metadata.name ?? '', {
          metadata: { annotations: { 'bed.trimtab.dev/behaviour': behaviour } },
        });
      const available = (status: string) =>
        stage.until<Deployment>(
          `the condition Available is ${status}`,
          deployments,
          'delicate',
          (each) => conditionOf(each.status?.conditions, 'Available')?.status === status,
        );
      await behave('unready');
      const { status } = await available('False');
      expect(saying(conditionOf(status?.conditions, 'Available'))).toBe(
        'False MinimumReplicasUnavailable: Deployment does not have minimum availability.',
      );
      expect(status?.unavailableReplicas).toBe(1);
      // After a complete rollout, a pod that becomes unready does not count as a lack of progress.
      expect(conditionOf(status?.conditions, 'Progressing')?.reason).toBe('NewReplicaSetAvailable');
      await behave(null);
      await available('True');
    });

    it('a ReplicaSet that cannot be made is told with the reason, until it can', async (target) => {
      const stage = await Stage.on(target);
      const name = `${target.namespace}-sets`;
      const rules = [
        { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['replicasets'] },
      ];
      const validations = [{ expression: 'false', message: 'not today' }];
      const made = policy(target, 'sets', { matchConstraints: { resourceRules: rules }, validations });
      await target.createForAll(policies, made);
      await target.createForAll(bindings, binding(target, 'sets'));
      const sample = replicaSet('sample', labelled({ policy: 'sets' }));
      sample.metadata.namespace = stage.namespace;
      await stage.wait('the policy is in force', async () => {
        const tried = stage.client.create(replicaSets, sample, { dryRun: true });
        return tried.then(
          () => ({ seen: 'the request was admitted' }),
          () => ({ met: true }),
        );
      });
      const refused = deployment('unmade');
      refused.spec.template.metadata.labels = { app: 'unmade', policy: 'sets' };
      await stage.create(refused);
      const { status } = await stage.until<Deployment>(
        'the condition Progressing',
        deployments,
        'unmade',
        (each) => Boolean(conditionOf(each.status?.conditions, 'Progressing')),
      );
      const said = saying(conditionOf(status?.conditions, 'Progressing')).replaceAll(
        /unmade-[a-z0-9]+/g,
        'unmade-HASH',
      );
      const why = `Failed to create new replica set "unmade-HASH": replicasets.apps "unmade-HASH" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: not today`;
      expect(said).toBe(`False ReplicaSetCreateError: ${why}`);
      await stage.wait('the ReplicaSetCreateError Event', async () => {
        const told = await stage.events('Deployment', 'unmade');
        const heard = told.map(({ type, reason, message }) =>
          `${type} ${reason}: ${message}`.replaceAll(/unmade-[a-z0-9]+/g, 'unmade-HASH'),
        );
        return heard.includes(`Warning ReplicaSetCreateError: ${why}`)
          ? { met: true }
          : { seen: heard.join() };
      });
      await target.api.delete(`${bindings}/${name}`);
      await stage.rolledOut('unmade');
    });

    it('without a deadline nothing is said about progress', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'timeless', withSpec({ progressDeadlineSeconds: 2147483647 }));
      const { status } = await stage.deployment('timeless');
      expect(status?.conditions?.map(({ type }) => type)).toEqual(['Available']);
    });

    it('a Deployment that is deleted takes everything along', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'leaving', withReplicas(2));
      await stage.client.delete(deployments, { namespace: stage.namespace, name: 'leaving' });
      await stage.wait('ReplicaSets and pods are gone', async () => {
        const [sets, left] = [await stage.sets('leaving'), await stage.pods('leaving')];
        return sets.length + left.length === 0 ? { met: true } : { seen: `${sets.length}, ${left.length}` };
      });
    });
  },
  { pods: 'simulated', atOnce: true, timeoutMs: caseTimeoutMs },
);
