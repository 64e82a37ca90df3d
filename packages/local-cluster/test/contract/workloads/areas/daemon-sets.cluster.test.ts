import { controllerRevisions, daemonSets, pods } from '@trimtab/kube/resource.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { expect } from 'vitest';
import type { Pod } from '../../../../src/objects/pod.ts';
import type { ControllerRevision, DaemonSet } from '../../../../src/objects/workloads.ts';
import { contract } from '../../api/contract.ts';
import { caseTimeoutMs, Stage } from '../stage.ts';
import { template, withSpec } from '../workload-objects.ts';

const noteOf = ({ metadata }: Pod) => metadata.annotations?.['note'] ?? 'plain';

const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

/** Waits until the status reports an available pod of the current template on each eligible node. */
const rolledOut = (stage: Stage, name: string) =>
  stage.until<DaemonSet>(`${name} is rolled out`, daemonSets, name, ({ metadata, status }) => {
    const { desiredNumberScheduled = 0, numberAvailable = 0, updatedNumberScheduled = 0 } = status ?? {};
    return (
      status?.observedGeneration === metadata.generation &&
      desiredNumberScheduled > 0 &&
      [numberAvailable, updatedNumberScheduled].every((count) => count === desiredNumberScheduled)
    );
  });

const up = async (stage: Stage, name: string, spec: object = {}) => {
  await stage.create(daemonSet(name, withSpec(spec)));
  return rolledOut(stage, name);
};

const retemplate = (stage: Stage, name: string, to: object) =>
  stage.edit<DaemonSet>(daemonSets, name, ({ spec }) => {
    spec.template = to as DaemonSet['spec']['template'];
  });

const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });

contract(
  'DaemonSets',
  (it) => {
    it('each node that takes pods has one, and it says how many', async (target) => {
      const stage = await Stage.on(target);
      const { status } = await up(stage, 'everywhere');
      const found = await stage.pods('everywhere');
      const nodes = found.map(({ spec }) => spec.nodeName);
      expect(new Set(nodes).size).toBe(found.length);
      expect(found.length).toBe(status?.desiredNumberScheduled);
      expect(status).toMatchObject({
        numberMisscheduled: 0,
        numberReady: found.length,
        currentNumberScheduled: found.length,
      });
      expect(found[0]?.metadata.labels).toMatchObject({
        app: 'everywhere',
        'pod-template-generation': '1',
        'controller-revision-hash': expect.any(String),
      });
      expect(found[0]?.spec.tolerations?.map(({ key, effect }) => `${key} ${effect}`)).toEqual(
        expect.arrayContaining([
          'node.kubernetes.io/not-ready NoExecute',
          'node.kubernetes.io/unreachable NoExecute',
          'node.kubernetes.io/disk-pressure NoSchedule',
          'node.kubernetes.io/memory-pressure NoSchedule',
          'node.kubernetes.io/pid-pressure NoSchedule',
          'node.kubernetes.io/unschedulable NoSchedule',
        ]),
      );
    });

    it('a selector that no node has makes none', async (target) => {
      const stage = await Stage.on(target);
      const nowhere = template('nowhere', 'one');
      Object.assign(nowhere.spec, { nodeSelector: { nowhere: 'at-all' } });
      await stage.create(daemonSet('nowhere', withSpec({ template: nowhere })));
      const { status } = await stage.until<DaemonSet>(
        'the DaemonSet is observed',
        daemonSets,
        'nowhere',
        ({ metadata, status: now }) => now?.observedGeneration === metadata.generation,
      );
      expect([status?.desiredNumberScheduled, (await stage.pods('nowhere')).length]).toEqual([0, 0]);
    });

    it('one that is deleted comes back on its node', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'again');
      const [first] = await stage.pods('again');
      const { name = '', uid } = first?.metadata ?? {};
      await stage.client.delete(pods, { namespace: stage.namespace, name });
      await stage.wait('a replacement pod exists', async () => {
        const there = (await stage.pods('again')).filter(
          ({ spec }) => spec.nodeName === first?.spec.nodeName,
        );
        return there.length === 1 && there[0]?.metadata.uid !== uid
          ? { met: true }
          : { seen: `${there.length} pods` };
      });
    });

    it('one that failed is replaced, and an event says so', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'fails');
      const [first] = await stage.pods('fails');
      const { name = '', uid } = first?.metadata ?? {};
      const annotations = { 'bed.trimtab.dev/behaviour': 'fail' };
      await stage.merge(pods, name, { metadata: { annotations } });
      await stage.wait('a replacement pod exists', async () => {
        const there = (await stage.pods('fails')).filter(
          ({ spec }) => spec.nodeName === first?.spec.nodeName,
        );
        return there.length === 1 && there[0]?.metadata.uid !== uid
          ? { met: true }
          : { seen: `${there.length} pods` };
      });
      const { namespace } = stage;
      const text = `Found failed daemon pod ${namespace}/${name} on node ${first?.spec.nodeName}, will try to kill it`;
      await stage.wait('the FailedDaemonPod Event', async () => {
        const told = (await stage.events('DaemonSet', 'fails')).map(
          ({ reason, message }) => `${reason}: ${message}`,
        );
        return told.includes(`FailedDaemonPod: ${text}`) ? { met: true } : { seen: told.join('\n') };
      });
    });

    it('an update replaces one after the other', async (target) => {
      const stage = await Stage.on(target);
      const { status } = await up(stage, 'updates');
      await using recording = await StateRecording.start<DaemonSet>(stage.client, daemonSets, {
        namespace: stage.namespace,
      });
      await retemplate(stage, 'updates', template('updates', 'two'));
      await rolledOut(stage, 'updates');
      expect((await stage.pods('updates')).map(noteOf)).toEqual(
        Array.from({ length: status?.desiredNumberScheduled ?? 0 }, () => 'two'),
      );
      const states = (await recording.upToNow()).filter(({ metadata }) => metadata.name === 'updates');
      expect(Math.max(...states.map((each) => each.status?.numberUnavailable ?? 0))).toBeLessThanOrEqual(1);
    });

    it('a broken update stops at its first pod, and is taken back with its template', async (target) => {
      const stage = await Stage.on(target);
      const { status, spec } = await up(stage, 'broken');
      const good = structuredClone(spec.template);
      const all = status?.desiredNumberScheduled ?? 0;
      await retemplate(stage, 'broken', template('broken', 'bad', 'unready'));
      const notes = async () => (await stage.pods('broken')).map(noteOf).sort();
      await stage.wait('one pod is broken', async () => {
        const seen = await notes();
        return seen.filter((note) => note === 'bad').length === 1 && seen.length === all
          ? { met: true }
          : { seen: seen.join() };
      });
      await retemplate(stage, 'broken', good);
      await rolledOut(stage, 'broken');
      expect(new Set(await notes())).toEqual(new Set(['plain']));
    });

    it('with surge, an old pod goes only when the new one on its node is ready', async (target) => {
      const stage = await Stage.on(target);
      const { status } = await up(stage, 'surges', rolling({ maxSurge: 1, maxUnavailable: 0 }));
      const all = status?.desiredNumberScheduled ?? 0;
      const selection = { namespace: stage.namespace, labelSelector: 'app=surges' };
      await using recording = await StateRecording.start<Pod>(stage.client, pods, selection);
      await retemplate(stage, 'surges', template('surges', 'two'));
      await rolledOut(stage, 'surges');
      await stage.wait('the old pods are gone', async () => {
        const seen = (await stage.pods('surges')).map(noteOf);
        return seen.length === all && seen.every((note) => note === 'two')
          ? { met: true }
          : { seen: seen.join() };
      });
      const states = await recording.upToNow();
      const left = states.findIndex(
        (pod) => noteOf(pod) === 'plain' && pod.metadata.deletionTimestamp !== undefined,
      );
      const before = states.slice(0, left).filter(isReady);
      expect(left).toBeGreaterThan(0);
      expect(
        before.some((pod) => noteOf(pod) === 'two' && pod.spec.nodeName === states[left]?.spec.nodeName),
      ).toBe(true);
    });

    it('with OnDelete a pod is new only when somebody deleted it', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'manual', { updateStrategy: { type: 'OnDelete' } });
      await retemplate(stage, 'manual', template('manual', 'two'));
      await stage.until<DaemonSet>(
        'the new template is observed',
        daemonSets,
        'manual',
        ({ metadata, status }) => status?.observedGeneration === metadata.generation,
      );
      const before = await stage.pods('manual');
      expect(new Set(before.map(noteOf))).toEqual(new Set(['plain']));
      await stage.client.delete(pods, { namespace: stage.namespace, name: before[0]?.metadata.name ?? '' });
      await stage.wait('one pod is new', async () => {
        const seen = (await stage.pods('manual')).map(noteOf);
        return seen.length === before.length && seen.filter((note) => note === 'two').length === 1
          ? { met: true }
          : { seen: seen.join() };
      });
    });

    it('each template is a ControllerRevision, by the hash that its pods carry', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'history');
      await retemplate(stage, 'history', template('history', 'two'));
      await rolledOut(stage, 'history');
      const { items } = await stage.client.list<ControllerRevision>(controllerRevisions, {
        namespace: stage.namespace,
        labelSelector: 'app=history',
      });
      const all = items.sort((a, b) => a.revision - b.revision);
      expect(all.map(({ revision }) => revision)).toEqual([1, 2]);
      const hash = all[1]?.metadata.labels?.['controller-revision-hash'];
      expect(all[1]?.metadata.name).toBe(`history-${hash}`);
      const carried = (await stage.pods('history')).map(
        ({ metadata }) => metadata.labels?.['controller-revision-hash'],
      );
      expect(new Set(carried)).toEqual(new Set([hash]));
      expect(all[1]?.data).toMatchObject({ spec: { template: { $patch: 'replace' } } });
    });

    it('what it does is told in events', async (target) => {
      const stage = await Stage.on(target);
      const { status } = await up(stage, 'told');
      // Events are written asynchronously, so they may arrive after the rollout.
      const told = await stage.wait('an Event for the pod of each node', async () => {
        const events = await stage.events('DaemonSet', 'told');
        const isAll = events.length >= (status?.desiredNumberScheduled ?? 1);
        return isAll ? { met: events } : { seen: `${events.length} events` };
      });
      expect(
        new Set(
          told.map(
            ({ type, reason, message }) => `${type} ${reason}: ${message.replace(/told-\w+/, 'told-X')}`,
          ),
        ),
      ).toEqual(new Set(['Normal SuccessfulCreate: Created pod: told-X']));
    });

    it(
      'kubectl waits for it, and undoes it',
      async (target) => {
        const stage = await Stage.on(target);
        await up(stage, 'byhand');
        await retemplate(stage, 'byhand', template('byhand', 'two'));
        const said = await stage.kubectl('rollout', 'status', 'daemonset/byhand', '--timeout=60s');
        expect(said.trim().split('\n').at(-1)).toBe('daemon set "byhand" successfully rolled out');
        await stage.kubectl('rollout', 'undo', 'daemonset/byhand');
        await rolledOut(stage, 'byhand');
        expect(new Set((await stage.pods('byhand')).map(noteOf))).toEqual(new Set(['plain']));
      },
      { needs: 'kubectl' },
    );
  },
  { pods: 'simulated', timeoutMs: caseTimeoutMs },
);
