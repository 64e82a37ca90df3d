import { controllerRevisions, pods, statefulSets } from '@trimtab/kube/resource.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { expect } from 'vitest';
import type { Pod } from '../../../../src/objects/pod.ts';
import type { ControllerRevision, StatefulSet } from '../../../../src/objects/workloads.ts';
import { contract } from '../../api/contract.ts';
import { caseTimeoutMs, Stage } from '../stage.ts';
import { template, withSpec } from '../workload-objects.ts';

const revisionLabel = 'controller-revision-hash';
const nameOf = ({ metadata }: { metadata: { name?: string } }) => metadata.name ?? '';

/** Waits until all pods exist and are updated, ready and observed. */
const rolledOut = (stage: Stage, name: string) =>
  stage.until<StatefulSet>(`${name} is rolled out`, statefulSets, name, ({ metadata, spec, status }) => {
    const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = status ?? {};
    return (
      status?.observedGeneration === metadata.generation &&
      [replicas, readyReplicas, updatedReplicas].every((count) => count === spec.replicas) &&
      status?.currentRevision === status?.updateRevision
    );
  });

const up = async (stage: Stage, name: string, replicas: number, spec: object = {}) => {
  await stage.create(statefulSet(name, withSpec({ replicas, ...spec })));
  return rolledOut(stage, name);
};

const namesOf = async (stage: Stage, app: string) => (await stage.pods(app)).map(nameOf).sort();
const noteOf = ({ metadata }: Pod) => metadata.annotations?.['note'];

const retemplate = (stage: Stage, name: string, to: object) =>
  stage.edit<StatefulSet>(statefulSets, name, ({ spec }) => {
    spec.template = to as StatefulSet['spec']['template'];
  });

/** Waits until the pods, by ordinal, have these notes. `gone` stands for a missing pod. */
const noted = (stage: Stage, app: string, ...wanted: string[]) =>
  stage.wait(`the pods of ${app} are ${wanted}`, async () => {
    const found = await stage.pods(app);
    const seen = wanted.map((_, index) => {
      const pod = found.find((each) => nameOf(each) === `${app}-${index}`);
      return pod === undefined ? 'gone' : (noteOf(pod) ?? 'plain');
    });
    return seen.join() === wanted.join() ? { met: true } : { seen: seen.join() };
  });

const revisions = async (stage: Stage, name: string) => {
  const { namespace } = stage;
  const labelSelector = `app=${name}`;
  const { items } = await stage.client.list<ControllerRevision>(controllerRevisions, {
    namespace,
    labelSelector,
  });
  return items.sort((a, b) => a.revision - b.revision);
};

contract(
  'StatefulSets',
  (it) => {
    it('pods come one after the other, each when the one before is ready', async (target) => {
      const stage = await Stage.on(target);
      await using recording = await StateRecording.start<Pod>(stage.client, pods, {
        namespace: stage.namespace,
      });
      await up(stage, 'row', 3);
      const seen = (await recording.upToNow()).filter(({ metadata }) => metadata.labels?.['app'] === 'row');
      const made = [...new Set(seen.map(nameOf))];
      expect(made).toEqual(['row-0', 'row-1', 'row-2']);
      for (const [index, name] of made.slice(1).entries()) {
        const first = seen.findIndex((pod) => nameOf(pod) === name);
        const before = seen.slice(0, first).filter((pod) => nameOf(pod) === made[index]);
        const ready = before.at(-1)?.status?.conditions?.find(({ type }) => type === 'Ready');
        expect(ready?.status).toBe('True');
      }
    });

    it('in parallel they do not wait for each other', async (target) => {
      const stage = await Stage.on(target);
      const broken = template('burst', 'broken', 'unready');
      await stage.create(
        statefulSet('burst', withSpec({ replicas: 3, podManagementPolicy: 'Parallel', template: broken })),
      );
      await noted(stage, 'burst', 'broken', 'broken', 'broken');
    });

    it('a pod has its place in its name, labels, host name and subdomain', async (target) => {
      const stage = await Stage.on(target);
      const { status } = await up(stage, 'placed', 1, { ordinals: { start: 4 } });
      const [pod] = await stage.pods('placed');
      expect(pod?.metadata.labels).toEqual({
        app: 'placed',
        'apps.kubernetes.io/pod-index': '4',
        'statefulset.kubernetes.io/pod-name': 'placed-4',
        [revisionLabel]: status?.updateRevision,
      });
      expect([pod?.spec.hostname, pod?.spec.subdomain]).toEqual(['placed-4', 'placed']);
      expect(pod?.metadata.ownerReferences).toMatchObject([
        {
          apiVersion: 'apps/v1',
          kind: 'StatefulSet',
          name: 'placed',
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    });

    it('one that is deleted comes back under its name', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'back', 2);
      const [first] = await stage.pods('back');
      await stage.client.delete(pods, { namespace: stage.namespace, name: 'back-0' });
      await stage.until<Pod>(
        'the pod is replaced',
        pods,
        'back-0',
        ({ metadata }) => metadata.uid !== first?.metadata.uid,
      );
      await rolledOut(stage, 'back');
      expect(await namesOf(stage, 'back')).toEqual(['back-0', 'back-1']);
    });

    it('scaling down takes the last ones', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'shrinks', 3);
      await stage.merge(statefulSets, 'shrinks', { spec: { replicas: 1 } });
      await rolledOut(stage, 'shrinks');
      expect(await namesOf(stage, 'shrinks')).toEqual(['shrinks-0']);
    });

    it('an update goes from the last to the first, and its revision becomes the current one', async (target) => {
      const stage = await Stage.on(target);
      const { status: before } = await up(stage, 'updates', 3);
      await using recording = await StateRecording.start<Pod>(stage.client, pods, {
        namespace: stage.namespace,
      });
      await retemplate(stage, 'updates', template('updates', 'two'));
      const { status } = await rolledOut(stage, 'updates');
      expect(status?.currentRevision).not.toBe(before?.currentRevision);
      const fresh = (await recording.upToNow()).filter((pod) => noteOf(pod) === 'two');
      expect([...new Set(fresh.map(nameOf))]).toEqual(['updates-2', 'updates-1', 'updates-0']);
    });

    it('an update stops above its partition, and goes on when that is lowered', async (target) => {
      const stage = await Stage.on(target);
      const strategy = (partition: number) => ({
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
      });
      await up(stage, 'parts', 3, strategy(2));
      await retemplate(stage, 'parts', template('parts', 'two'));
      await noted(stage, 'parts', 'plain', 'plain', 'two');
      const { status } = await stage.until<StatefulSet>(
        'one pod is updated',
        statefulSets,
        'parts',
        ({ status: now }) => now?.updatedReplicas === 1 && now.readyReplicas === 3,
      );
      expect([status?.currentReplicas, status?.currentRevision === status?.updateRevision]).toEqual([
        2,
        false,
      ]);
      await stage.merge(statefulSets, 'parts', { spec: strategy(0) });
      await rolledOut(stage, 'parts');
      await noted(stage, 'parts', 'two', 'two', 'two');
    });

    it('a pod below the partition comes back as it was', async (target) => {
      const stage = await Stage.on(target);
      const spec = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } };
      await up(stage, 'keeps', 2, spec);
      await retemplate(stage, 'keeps', template('keeps', 'two'));
      await noted(stage, 'keeps', 'plain', 'two');
      const [first] = (await stage.pods('keeps')).filter((pod) => nameOf(pod) === 'keeps-0');
      await stage.client.delete(pods, { namespace: stage.namespace, name: 'keeps-0' });
      await stage.until<Pod>(
        'the pod is replaced',
        pods,
        'keeps-0',
        ({ metadata }) => metadata.uid !== first?.metadata.uid,
      );
      await noted(stage, 'keeps', 'plain', 'two');
    });

    it('with OnDelete a pod is new only when somebody deleted it', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'manual', 2, { updateStrategy: { type: 'OnDelete' } });
      await retemplate(stage, 'manual', template('manual', 'two'));
      await stage.until<StatefulSet>(
        'the new template is observed',
        statefulSets,
        'manual',
        ({ metadata, status }) => status?.observedGeneration === metadata.generation,
      );
      await noted(stage, 'manual', 'plain', 'plain');
      await stage.client.delete(pods, { namespace: stage.namespace, name: 'manual-0' });
      await noted(stage, 'manual', 'two', 'plain');
    });

    it('a broken update stops at its first pod, and stays broken when the template is put back', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'stuck', 2);
      const { spec } = await stage.client.get<StatefulSet>(statefulSets, {
        namespace: stage.namespace,
        name: 'stuck',
      });
      const good = structuredClone(spec.template);
      await retemplate(stage, 'stuck', template('stuck', 'broken', 'unready'));
      await noted(stage, 'stuck', 'plain', 'broken');
      await retemplate(stage, 'stuck', good);
      await stage.until<StatefulSet>(
        'the restored template is observed',
        statefulSets,
        'stuck',
        ({ metadata, status }) =>
          status?.observedGeneration === metadata.generation &&
          status?.currentRevision === status?.updateRevision,
      );
      await noted(stage, 'stuck', 'plain', 'broken');
      await stage.client.delete(pods, { namespace: stage.namespace, name: 'stuck-1' });
      await rolledOut(stage, 'stuck');
      await noted(stage, 'stuck', 'plain', 'plain');
    });

    it('in parallel, a broken update is taken back with its template', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'loose', 2, { podManagementPolicy: 'Parallel' });
      const { spec } = await stage.client.get<StatefulSet>(statefulSets, {
        namespace: stage.namespace,
        name: 'loose',
      });
      const good = structuredClone(spec.template);
      await retemplate(stage, 'loose', template('loose', 'broken', 'unready'));
      await noted(stage, 'loose', 'plain', 'broken');
      await retemplate(stage, 'loose', good);
      await noted(stage, 'loose', 'plain', 'plain');
    });

    it('each template is a ControllerRevision; an old one that comes back is the newest', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'history', 1);
      const { spec } = await stage.client.get<StatefulSet>(statefulSets, {
        namespace: stage.namespace,
        name: 'history',
      });
      const first = structuredClone(spec.template);
      await retemplate(stage, 'history', template('history', 'two'));
      await rolledOut(stage, 'history');
      const two = await revisions(stage, 'history');
      expect(two.map(({ revision }) => revision)).toEqual([1, 2]);
      await retemplate(stage, 'history', first);
      const { status } = await rolledOut(stage, 'history');
      const again = await revisions(stage, 'history');
      expect(again.map(({ revision }) => revision)).toEqual([2, 3]);
      expect(again.map(nameOf)).toEqual([
        nameOf(two[1] ?? { metadata: {} }),
        nameOf(two[0] ?? { metadata: {} }),
      ]);
      expect(status?.updateRevision).toBe(nameOf(again[1] ?? { metadata: {} }));
      expect(again[1]?.data).toMatchObject({
        spec: { template: { $patch: 'replace', metadata: { labels: { app: 'history' } } } },
      });
    });

    it('old revisions beyond the limit go', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'limited', 1, { revisionHistoryLimit: 1 });
      for (const note of ['two', 'three', 'four']) {
        await retemplate(stage, 'limited', template('limited', note));
        await rolledOut(stage, 'limited');
      }
      await stage.wait('two revisions are left', async () => {
        const left = (await revisions(stage, 'limited')).map(({ revision }) => revision);
        return left.join() === '3,4' ? { met: true } : { seen: left.join() };
      });
    });

    it('what it does is told in events', async (target) => {
      const stage = await Stage.on(target);
      await up(stage, 'told', 1);
      await stage.merge(statefulSets, 'told', { spec: { replicas: 0 } });
      await stage.wait('both Events', async () => {
        const told = (await stage.events('StatefulSet', 'told')).map(
          ({ type, reason, message }) => `${type} ${reason}: ${message}`,
        );
        return told.join() ===
          'Normal SuccessfulCreate: Create Pod told-0 in StatefulSet told successful,Normal SuccessfulDelete: Delete Pod told-0 in StatefulSet told successful'
          ? { met: true }
          : { seen: told.join() };
      });
    });

    it(
      'kubectl waits for it, undoes it and restarts it',
      async (target) => {
        const stage = await Stage.on(target);
        await up(stage, 'byhand', 2);
        await retemplate(stage, 'byhand', template('byhand', 'two'));
        const said = await stage.kubectl('rollout', 'status', 'statefulset/byhand', '--timeout=60s');
        expect(said).toMatch(/partitioned roll out complete: 2 new pods have been updated/);
        await stage.kubectl('rollout', 'undo', 'statefulset/byhand');
        await rolledOut(stage, 'byhand');
        await noted(stage, 'byhand', 'plain', 'plain');
        const before = (await stage.pods('byhand')).map(({ metadata }) => metadata.uid);
        await stage.kubectl('rollout', 'restart', 'statefulset/byhand');
        await rolledOut(stage, 'byhand');
        const after = (await stage.pods('byhand')).map(({ metadata }) => metadata.uid);
        expect(after.filter((uid) => before.includes(uid))).toEqual([]);
      },
      { needs: 'kubectl' },
    );
  },
  { pods: 'simulated', timeoutMs: caseTimeoutMs },
);
