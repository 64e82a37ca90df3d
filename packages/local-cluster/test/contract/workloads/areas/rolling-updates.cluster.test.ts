import { deployments, pods, replicaSets } from '@trimtab/kube/resource.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { expect } from 'vitest';
import type { Pod } from '../../../../src/objects/pod.ts';
import type { Deployment, ReplicaSet } from '../../../../src/objects/workloads.ts';
import { contract } from '../../api/contract.ts';
import { caseTimeoutMs, conditionOf, Stage, saying } from '../stage.ts';
import { type Limits, staysWithin } from '../within-limits.ts';
import { recreating, rolling, template, withSpec } from '../workload-objects.ts';

/** Rolls out a Deployment, then updates it to a template whose pods never become Ready. */
async function stuck(stage: Stage, name: string, limits: Limits, spec: object = {}): Promise<void> {
  const { replicas, maxSurge, maxUnavailable } = limits;
  const made = deployment(name, withReplicas(replicas), rolling(maxSurge, maxUnavailable), withSpec(spec));
  await stage.create(made);
  await stage.rolledOut(name);
  await stage.retemplate(name, template(name, 'broken', 'unready'));
}

const reasonIs = (reason: string) => (each: Deployment) =>
  conditionOf(each.status?.conditions, 'Progressing')?.reason === reason;

const stops: [Limits, number, number][] = [
  [{ replicas: 10, maxSurge: 3, maxUnavailable: 2 }, 8, 5],
  [{ replicas: 4, maxSurge: '25%', maxUnavailable: '25%' }, 3, 2],
  [{ replicas: 3, maxSurge: 1, maxUnavailable: 0 }, 3, 1],
  [{ replicas: 1, maxSurge: '25%', maxUnavailable: '25%' }, 1, 1],
  [{ replicas: 2, maxSurge: 0, maxUnavailable: 1 }, 1, 1],
  [{ replicas: 5, maxSurge: '0%', maxUnavailable: '1%' }, 4, 1],
];

const ways: Limits[] = [
  { replicas: 6, maxSurge: '25%', maxUnavailable: '25%' },
  { replicas: 4, maxSurge: 0, maxUnavailable: 1 },
  { replicas: 5, maxSurge: '100%', maxUnavailable: 0 },
  { replicas: 3, maxSurge: 2, maxUnavailable: 2 },
];

const nameOf = ({ replicas, maxSurge, maxUnavailable }: Limits) =>
  `of-${replicas}-${maxSurge}-${maxUnavailable}`.replaceAll('%', 'pc');
const textOf = ({ replicas, maxSurge, maxUnavailable }: Limits) =>
  `${replicas} replicas, maxSurge ${maxSurge}, maxUnavailable ${maxUnavailable}`;

contract(
  'rolling updates',
  (it) => {
    for (const limits of ways)
      it(`within its limits all the way: ${textOf(limits)}`, async (target) => {
        const states = await staysWithin(await Stage.on(target), nameOf(limits), limits);
        expect(states).toBeGreaterThan(4);
      });

    for (const [limits, old, broken] of stops)
      it(`a broken update stops with ${old} old and ${broken} new: ${textOf(limits)}`, async (target) => {
        const stage = await Stage.on(target);
        const name = `stops-${nameOf(limits)}`;
        await stuck(stage, name, limits);
        await stage.sized(name, old, broken);
        const { status } = await stage.until<Deployment>(
          'the status reports the broken pods',
          deployments,
          name,
          (each) =>
            each.status?.observedGeneration === each.metadata.generation &&
            each.status?.updatedReplicas === broken &&
            each.status?.unavailableReplicas === broken,
        );
        expect(status).toMatchObject({ replicas: old + broken, availableReplicas: old, readyReplicas: old });
      });

    it('an update that makes no progress is told when its time is over, and goes on when it can', async (target) => {
      const stage = await Stage.on(target);
      const limits = { replicas: 1, maxSurge: 1, maxUnavailable: 0 };
      await stuck(stage, 'late', limits, { progressDeadlineSeconds: 2 });
      await stage.until<Deployment>(
        'the progress deadline is exceeded',
        deployments,
        'late',
        reasonIs('ProgressDeadlineExceeded'),
      );
      const [, newest] = await stage.sized('late', 1, 1);
      const name = newest?.metadata.name;
      const said = async () =>
        saying(conditionOf((await stage.deployment('late')).status?.conditions, 'Progressing'));
      expect(await said()).toBe(
        `False ProgressDeadlineExceeded: ReplicaSet "${name}" has timed out progressing.`,
      );
      for (const { metadata } of await stage.pods('late'))
        await stage.merge(pods, metadata.name ?? '', {
          metadata: { annotations: { 'bed.trimtab.dev/behaviour': null } },
        });
      await stage.rolledOut('late');
      expect(await said()).toBe(
        `True NewReplicaSetAvailable: ReplicaSet "${name}" has successfully progressed.`,
      );
      await stage.sized('late', 0, 1);
    });

    it('each step of an update is told: made, progressing, available', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(deployment('telling', withReplicas(2), rolling(1, 0)));
      await stage.rolledOut('telling');
      const selection = { namespace: stage.namespace, fieldSelector: 'metadata.name=telling' };
      await using recording = await StateRecording.start<Deployment>(stage.client, deployments, selection);
      await stage.retemplate('telling', template('telling', 'two'));
      await stage.rolledOut('telling');
      const moments = await recording.moments();
      const said = moments.flatMap((moment) =>
        [...moment.values()].map((each) => saying(conditionOf(each.status?.conditions, 'Progressing'))),
      );
      const [first, second] = (await stage.sets('telling')).map(({ metadata }) => metadata.name);
      expect(said.filter((each, index) => each !== said[index - 1])).toEqual([
        `True NewReplicaSetAvailable: ReplicaSet "${first}" has successfully progressed.`,
        `True NewReplicaSetCreated: Created new replica set "${second}"`,
        `True ReplicaSetUpdated: ReplicaSet "${second}" is progressing.`,
        `True NewReplicaSetAvailable: ReplicaSet "${second}" has successfully progressed.`,
      ]);
    });

    it('over to a third template in mid-flight: the broken pods go first', async (target) => {
      const stage = await Stage.on(target);
      await stuck(stage, 'turning', { replicas: 4, maxSurge: 1, maxUnavailable: 1 });
      await stage.sized('turning', 3, 2);
      const selection = { namespace: stage.namespace, labelSelector: 'app=turning' };
      await using recording = await StateRecording.start<ReplicaSet>(stage.client, replicaSets, selection);
      await stage.retemplate('turning', template('turning', 'good'));
      await stage.rolledOut('turning');
      await stage.sized('turning', 0, 0, 4);
      const moments = await recording.moments();
      const [first, broken] = await stage.sets('turning');
      const sizes = moments.map((moment) =>
        [first, broken].map((set) => moment.get(set?.metadata.uid ?? '')?.spec.replicas ?? 0),
      );
      expect(sizes.filter(([old = 0, sick = 0]) => sick > 0 && old < 3)).toEqual([]);
    });

    it('going back from a broken update removes its pods and brings the old ones back', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(deployment('undoing', withReplicas(4), rolling(1, 1)));
      const { spec } = await stage.rolledOut('undoing');
      await stage.merge(deployments, 'undoing', {
        spec: { template: template('undoing', 'bad', 'unready') },
      });
      await stage.sized('undoing', 3, 2);
      await stage.retemplate('undoing', spec.template);
      await stage.rolledOut('undoing');
      await stage.sized('undoing', 0, 4);
    });

    it('scaling up in mid-flight grows old and new in proportion', async (target) => {
      const stage = await Stage.on(target);
      await stuck(stage, 'proportional', { replicas: 10, maxSurge: 3, maxUnavailable: 2 });
      await stage.sized('proportional', 8, 5);
      await stage.merge(deployments, 'proportional', { spec: { replicas: 15 } });
      const sets = await stage.sized('proportional', 11, 7);
      for (const { metadata } of sets)
        expect(metadata.annotations).toMatchObject({
          'deployment.kubernetes.io/desired-replicas': '15',
          'deployment.kubernetes.io/max-replicas': '18',
        });
    });

    it('scaling down in mid-flight shrinks old and new in proportion, and then goes on', async (target) => {
      const stage = await Stage.on(target);
      await stuck(stage, 'shrinking', { replicas: 10, maxSurge: 3, maxUnavailable: 2 });
      await stage.sized('shrinking', 8, 5);
      const selection = { namespace: stage.namespace, labelSelector: 'app=shrinking' };
      await using recording = await StateRecording.start<ReplicaSet>(stage.client, replicaSets, selection);
      await stage.merge(deployments, 'shrinking', { spec: { replicas: 5 } });
      const sets = await stage.sized('shrinking', 3, 5);
      const moments = await recording.moments();
      const sizes = moments.map((moment) =>
        sets.map(({ metadata }) => moment.get(metadata.uid ?? '')?.spec.replicas).join(' and '),
      );
      // Scaling leaves 8 of 13 pods. The rollout then removes 2 more old pods, as maxUnavailable permits.
      expect(sizes.filter((each, index) => each !== sizes[index - 1])).toEqual([
        '8 and 5',
        '5 and 5',
        '5 and 3',
        '3 and 3',
        '3 and 5',
      ]);
    });

    it('a paused Deployment says so, and keeps its pods when its template changes', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(deployment('resting', withReplicas(2)));
      await stage.rolledOut('resting');
      await stage.merge(deployments, 'resting', { spec: { paused: true } });
      await stage.until<Deployment>('it is paused', deployments, 'resting', reasonIs('DeploymentPaused'));
      await stage.retemplate('resting', template('resting', 'two'));
      const paused = await stage.until<Deployment>(
        'the change is observed',
        deployments,
        'resting',
        ({ metadata, status }) => status?.observedGeneration === metadata.generation,
      );
      expect(saying(conditionOf(paused.status?.conditions, 'Progressing'))).toBe(
        'Unknown DeploymentPaused: Deployment is paused',
      );
      expect(paused.status?.updatedReplicas).toBeUndefined();
      expect(await stage.sets('resting')).toHaveLength(1);
      const selection = { namespace: stage.namespace, fieldSelector: 'metadata.name=resting' };
      await using recording = await StateRecording.start<Deployment>(stage.client, deployments, selection);
      await stage.merge(deployments, 'resting', { spec: { paused: false } });
      await stage.rolledOut('resting');
      await stage.sized('resting', 0, 2);
      const moments = await recording.moments();
      const said = moments.flatMap((moment) =>
        [...moment.values()].map((each) => saying(conditionOf(each.status?.conditions, 'Progressing'))),
      );
      expect(said).toContain('Unknown DeploymentResumed: Deployment is resumed');
    });

    it('a paused Deployment can be scaled', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(deployment('napping', withSpec({ paused: true })));
      await stage.until<Deployment>('it is paused', deployments, 'napping', reasonIs('DeploymentPaused'));
      expect(await stage.sets('napping')).toEqual([]);
      await stage.merge(deployments, 'napping', { spec: { paused: false } });
      await stage.rolledOut('napping');
      await stage.merge(deployments, 'napping', { spec: { paused: true } });
      await stage.until<Deployment>('it is paused', deployments, 'napping', reasonIs('DeploymentPaused'));
      await stage.merge(deployments, 'napping', { spec: { replicas: 3 } });
      await stage.sized('napping', 3);
    });

    it('a Deployment that recreates has no new pod before the last old one is gone', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(deployment('anew', withReplicas(3), recreating));
      await stage.rolledOut('anew');
      const selection = { namespace: stage.namespace, labelSelector: 'app=anew' };
      await using recording = await StateRecording.start<Pod>(stage.client, pods, selection);
      await stage.retemplate('anew', template('anew', 'two'));
      await stage.rolledOut('anew');
      await stage.sized('anew', 0, 3);
      const moments = await recording.moments();
      const hashes = moments.map(
        (moment) =>
          new Set([...moment.values()].map(({ metadata }) => metadata.labels?.['pod-template-hash'])).size,
      );
      expect(Math.max(...hashes)).toBe(1);
      expect(Math.min(...moments.map(({ size }) => size))).toBe(0);
    });

    it('a new pod that is available only after a while holds the update back until then', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(deployment('careful', withReplicas(2), rolling(1, 0)));
      await stage.rolledOut('careful');
      const selection = { namespace: stage.namespace, fieldSelector: 'metadata.name=careful' };
      await using recording = await StateRecording.start<Deployment>(stage.client, deployments, selection);
      await stage.merge(deployments, 'careful', {
        spec: { minReadySeconds: 2, template: template('careful', 'two') },
      });
      await stage.rolledOut('careful');
      const moments = await recording.moments();
      const waiting = moments.flatMap((moment) =>
        [...moment.values()].filter(
          ({ status }) =>
            (status?.updatedReplicas ?? 0) === 1 &&
            (status?.readyReplicas ?? 0) === 3 &&
            (status?.availableReplicas ?? 0) === 2,
        ),
      );
      expect(waiting.length).toBeGreaterThan(0);
      await stage.sized('careful', 0, 2);
    });

    it('pods that cannot be made are told by the Deployment, too, and old ones stay', async (target) => {
      const stage = await Stage.on(target);
      await stage.create(deployment('refused', withReplicas(2), rolling(1, 0)));
      await stage.rolledOut('refused');
      const bad = template('refused', 'two');
      bad.spec.serviceAccountName = 'absent';
      await stage.retemplate('refused', bad);
      const { status } = await stage.until<Deployment>(
        'the condition ReplicaFailure',
        deployments,
        'refused',
        (each) => Boolean(conditionOf(each.status?.conditions, 'ReplicaFailure')),
      );
      const [, newest] = await stage.sets('refused');
      expect(saying(conditionOf(status?.conditions, 'ReplicaFailure'))).toBe(
        `True FailedCreate: pods "${newest?.metadata.name}-" is forbidden: error looking up service account ${stage.namespace}/absent: serviceaccount "absent" not found`,
      );
      expect(status?.availableReplicas).toBe(2);
      await stage.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'absent' } });
      const well = await stage.rolledOut('refused');
      expect(conditionOf(well.status?.conditions, 'ReplicaFailure')).toBeUndefined();
    });

    it('a strategy that is changed in mid-flight is the one that counts', async (target) => {
      const stage = await Stage.on(target);
      await stuck(stage, 'changing', { replicas: 4, maxSurge: 1, maxUnavailable: 0 });
      await stage.sized('changing', 4, 1);
      const strategy = { rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } };
      await stage.merge(deployments, 'changing', { spec: { strategy } });
      await stage.sized('changing', 3, 3);
    });
  },
  { pods: 'simulated', atOnce: true, timeoutMs: caseTimeoutMs },
);
