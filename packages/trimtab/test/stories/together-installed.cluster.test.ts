import { configMaps, controllerRevisions, deployments, events, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  envFromKey,
  mountingConfigMap,
  withImage,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { readUsername } from '../../src/versions/reads/read-username.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { usualWay } from '../support/reference-ways.ts';
import { mountedConfigMap, type ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

// A chart, a Kustomization or a person applies a config and its workload together: the new image, a stamp or a checksum, and
// the config. All tools of the field apply configs first.

const engine = await currentEngine();
afterAll(() => engine.close());

/** As a release of a chart renders it. */
const web = (image: string, stamp = 'one', config = 'foo') => {
  const it = deployment(
    'web',
    mountingConfigMap(config, '/etc/foo'),
    managed,
    runningTheApp,
    withImage(image),
  );
  annotated({ 'checksum/config': stamp })(it.spec.template);
  return it;
};

interface EventObject extends KubeObject {
  involvedObject: { name?: string };
  source?: { component?: string };
}

/** The number of revisions of all Deployments: each is one rolling update. */
const replicaSetCount = async ({ client, namespace }: ReleaseStory) =>
  (await client.list(replicaSets, { namespace })).items.length;

/** The template that works is recorded, so that a later failure is compared with it. */
const healthyTemplateIsRecorded = (release: ReleaseStory) =>
  release.eventually(
    'the template that works is written down',
    deployments,
    'web',
    ({ metadata }) => metadata.annotations?.[annotations.assignment]?.includes('"healthyTemplate"') === true,
  );

async function startStory(): Promise<{ release: ReleaseStory } & AsyncDisposable> {
  const release = await installedStory(engine, ['--coalesce', '2s']);
  const app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo', 'bar']);
  await release.when.applied(configMap('foo', { color: 'blue' }), web('busybox:1'));
  await settled(release, '1.0.0', ['web']);
  await healthyTemplateIsRecorded(release);
  return {
    release,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await release[Symbol.asyncDispose]();
    },
  };
}

test('a config and a new image that are applied together are one rolling update, and so is the way back', async () => {
  await using it = await startStory();
  const { release } = it;
  const before = await replicaSetCount(release);

  await release.when.applied(configMap('foo', { color: 'green' }), web('busybox:2', 'two'));
  const { status } = await settled(release, '1.0.1', ['web']);
  const { items } = await release.client.list<EventObject>(events, { namespace: release.namespace });
  expect(
    items.filter(
      ({ involvedObject, source }) => involvedObject.name === 'web' && source?.component === 'trimtab',
    ),
  ).toEqual([]);
  const moved = await release.object<Deployment>(deployments, 'web');
  expect(moved.spec.template.spec.containers[0]?.image).toBe('busybox:2');
  expect(mountedConfigMap(moved)).toBe(status?.current?.object);
  expect(await replicaSetCount(release)).toBe(before + 1);

  // As `helm rollback` does.
  await release.when.applied(configMap('foo', { color: 'blue' }), web('busybox:1', 'one'));
  const { status: back } = await settled(release, '1.0.0', ['web']);
  await podsRun(release, 'web', back?.current?.object);
  expect(await replicaSetCount(release), 'the first ReplicaSet is used again').toBe(before + 1);
});

test('a config and a new image that are applied while the last edit bakes are one rolling update', async () => {
  await using it = await startStory();
  const { release } = it;
  await release.strategyIs({ bakeSeconds: 600 });
  const before = await replicaSetCount(release);
  await release.when.applied(configMap('foo', { color: 'green' }), web('busybox:2'));
  await release.rolloutIs(
    'version 1.0.1 bakes',
    ({ target, workloads }) =>
      target?.version === '1.0.1' && workloads?.some(({ updated, total }) => updated === total) === true,
  );

  await release.strategyIs({ bakeSeconds: 1 });
  await release.when.applied(configMap('foo', { color: 'yellow' }), web('busybox:3'));
  const { status } = await settled(release, '1.0.2', ['web']);
  const moved = await release.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(moved)).toBe(status?.current?.object);
  expect(await replicaSetCount(release)).toBe(before + 2);
  expect(status?.history?.map(({ version, result }) => [version, result])).toContainEqual([
    '1.0.1',
    'Superseded',
  ]);
});

test('an optional config that is missing does not cost a second rolling update', async () => {
  await using it = await startStory();
  const { release } = it;
  const withMissing = (image: string) => {
    const object = web(image, 'two');
    envFromConfigMap('missing')(object);
    for (const { envFrom } of object.spec.template.spec.containers)
      for (const { configMapRef } of envFrom ?? []) if (configMapRef) configMapRef.optional = true;
    return object;
  };
  await release.when.applied(withMissing('busybox:1'));
  await settled(release, '1.0.0', ['web']);
  await healthyTemplateIsRecorded(release);
  const before = await replicaSetCount(release);

  await release.when.applied(configMap('foo', { color: 'green' }), withMissing('busybox:2'));
  await settled(release, '1.0.1', ['web']);
  expect(await replicaSetCount(release)).toBe(before + 1);
});

test('a version that carries the mark of a purge is assigned by the controller, which removes the mark first', async () => {
  await using it = await startStory();
  const { release } = it;
  const { client, namespace } = release;
  const first = (await settled(release, '1.0.0', ['web'])).status?.current?.object ?? '';
  await release.when.applied(configMap('foo', { color: 'green' }), web('busybox:2', 'two'));
  await settled(release, '1.0.1', ['web']);
  await release.eventually(
    'the old ReplicaSet owns the version',
    configMaps,
    first,
    ({ metadata }) => metadata.ownerReferences?.map(({ kind }) => kind).includes('ReplicaSet') === true,
  );

  const mark = { metadata: { annotations: { [annotations.purge]: await readUsername(client) } } };
  const marked = await client.patch(configMaps, { namespace, name: first }, { type: 'merge', body: mark });
  await release.when.applied(configMap('foo', { color: 'blue' }), web('busybox:1', 'one'));
  const isAssigned = mountedConfigMap(await release.object<Deployment>(deployments, 'web')) === first;
  const its = (await release.object(configMaps, first)).metadata.annotations ?? {};
  expect(isAssigned && annotations.purge in its, 'assigned while it has the mark').toBe(false);
  await settled(release, '1.0.0', ['web']);
  await podsRun(release, 'web', first);
  const { metadata } = await release.object(configMaps, first);
  expect(metadata.annotations).not.toHaveProperty([annotations.purge]);
  expect(metadata.uid).toBe(marked.metadata.uid);
});

test('a stamp beside an edit costs no second rolling update, and both configs of a workload arrive in one', async () => {
  await using it = await startStory();
  const { release } = it;
  const both = (stamp: string) => {
    const its = web('busybox:1', stamp);
    envFromConfigMap('bar')(its);
    return its;
  };
  await release.when.applied(configMap('bar', { size: 'small' }), both('one'));
  await settled(release, '1.0.0', ['web'], 'configmap-bar');
  const before = await replicaSetCount(release);
  await using recording = await StateRecording.start<ConfigRollout>(release.client, configRollouts, {
    namespace: release.namespace,
  });

  await release.when.applied(
    configMap('bar', { size: 'large' }),
    configMap('foo', { color: 'green' }),
    both('two'),
  );
  await settled(release, '1.0.1', ['web']);
  await settled(release, '1.0.1', ['web'], 'configmap-bar');
  expect(await replicaSetCount(release)).toBe(before + 1);
  const ids = (await recording.upToNow()).flatMap(({ status }) => status?.target?.activation ?? []);
  expect([...new Set(ids)], 'both configs are one activation').toHaveLength(1);
});

/** The ReplicaSets that a recording has seen with an image and a version of the config. */
const withImageAndVersion = (seen: readonly Deployment[], image: string, object: string | undefined) =>
  seen.filter(
    (each) => each.spec.template.spec.containers[0]?.image === image && mountedConfigMap(each) === object,
  );

test('the pods of an image that needs the new config never run with the old one', async () => {
  await using it = await startStory();
  const { release } = it;
  const { status: before } = await release.rollout();
  await using pods = await StateRecording.start<Deployment>(release.client, replicaSets, {
    namespace: release.namespace,
  });
  await release.when.applied(configMap('foo', { color: 'green' }), web('busybox:2'));
  await settled(release, '1.0.1', ['web']);
  const mixed = withImageAndVersion(await pods.upToNow(), 'busybox:2', before?.current?.object);
  expect(mixed).toEqual([]);
});

test('another edit in the coalescing window does not take the workload back', async () => {
  await using it = await startStory();
  const { release } = it;
  const { status: before } = await release.rollout();
  await using pods = await StateRecording.start<Deployment>(release.client, replicaSets, {
    namespace: release.namespace,
  });
  await release.when.applied(configMap('foo', { color: 'green' }), web('busybox:2'));
  await release.when.edited(configMaps, 'foo', withData({ color: 'yellow' }));
  await settled(release, '1.0.2', ['web']);
  const mixed = withImageAndVersion(await pods.upToNow(), 'busybox:2', before?.current?.object);
  expect(mixed).toEqual([]);
});

test('a key that is renamed in the config and in the template is one rolling update', async () => {
  await using it = await startStory();
  const { release } = it;
  const naming = (key: string, image: string) => {
    const its = web(image);
    envFromKey('GREETING', 'bar', key)(its);
    return its;
  };
  await release.when.applied(configMap('bar', { OLD: 'hello' }), naming('OLD', 'busybox:1'));
  await settled(release, '1.0.0', ['web'], 'configmap-bar');
  const before = await replicaSetCount(release);

  await release.when.applied(configMap('bar', { NEW: 'hello' }), naming('NEW', 'busybox:2'));
  await settled(release, '1.0.1', ['web'], 'configmap-bar');
  expect(await replicaSetCount(release)).toBe(before + 1);
});

test('a template does not join an activation that lacks a key which it begins to need', async () => {
  await using it = await startStory();
  const { release } = it;
  await release.when.applied(configMap('foo', { a: '1', b: '1' }), web('busybox:1'));
  const { status: before } = await settled(release, '1.0.1', ['web']);

  const needingB = web('busybox:2');
  envFromKey('B', 'foo', 'b')(needingB);
  await release.when.applied(configMap('foo', { a: '2' }), needingB);
  await release.rolloutIs(
    'the version is refused',
    ({ conditions }) => conditions?.some(({ reason }) => reason === 'KeyMissing') === true,
  );
  expect(mountedConfigMap(await release.object<Deployment>(deployments, 'web'))).toBe(
    before?.current?.object,
  );
});

test('a rollback goes to the current version when the manifest ended what a person had undone', async () => {
  await using it = await startStory();
  const { release } = it;
  const { status: first } = await release.rollout();
  await release.when.applied(configMap('foo', { color: 'green' }));
  const { status: second } = await settled(release, '1.0.1', ['web']);
  await release.when.kubectl('rollout', 'undo', 'deployment/web');
  await release.eventually<Deployment>(
    'the person has undone it',
    deployments,
    'web',
    (each) => mountedConfigMap(each) !== second?.current?.object,
  );

  await release.when.applied(configMap('foo', { pods: 'crash-loop' }), web('busybox:1', 'two'));
  await isRolledBack(release, '1.0.2');
  // The manifest names the config in the template. An annotation that assigns the version stays as it was undone.
  const expected = usualWay === 'template' ? second : first;
  await podsRun(release, 'web', expected?.current?.object);
});

test('a bad config beside a stamp is rolled back', async () => {
  await using it = await startStory();
  const { release } = it;
  const { status: before } = await release.rollout();
  await release.when.applied(configMap('foo', { pods: 'crash-loop' }), web('busybox:1', 'two'));
  const failed = await isRolledBack(release, '1.0.1');
  expect(failed.status?.current).toEqual(before?.current);
  await podsRun(release, 'web', before?.current?.object);

  // The manifest is applied again, as a GitOps tool does: the rejected content does not come back.
  await release.when.applied(web('busybox:1', 'three'));
  await podsRun(release, 'web', before?.current?.object);
});

test('when the image changed too, a failure pauses the activation and rejects nothing', async () => {
  await using it = await startStory();
  const { release } = it;
  await release.when.applied(configMap('foo', { pods: 'crash-loop' }), web('busybox:2'));
  await release.rolloutIs(
    'the activation waits for a person',
    ({ conditions }) => conditions?.some(({ reason }) => reason === 'TemplateChangedToo') === true,
  );
  const copies = await release.copies();
  expect(copies.get('1.0.1')?.metadata.annotations?.[annotations.rejected]).toBeUndefined();
});

test('a restart after an edit is the rolling update of the edit', async () => {
  await using it = await startStory();
  const { release } = it;
  const before = await replicaSetCount(release);
  await release.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await release.when.kubectl('rollout', 'restart', 'deployment/web');
  await settled(release, '1.0.1', ['web']);
  expect(await replicaSetCount(release)).toBe(before + 1);
});

test('a StatefulSet that changes with its config gets one revision', async () => {
  await using it = await startStory();
  const { release } = it;
  const db = (image: string) =>
    statefulSet('db', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp, withImage(image));
  await release.when.applied(db('busybox:1'));
  await settled(release, '1.0.0', ['web', 'db']);
  const revisions = async () =>
    (await release.client.list(controllerRevisions, { namespace: release.namespace })).items.length;
  const before = await revisions();
  await release.when.applied(configMap('foo', { color: 'green' }), db('busybox:2'));
  await settled(release, '1.0.1', ['web', 'db']);
  expect(await revisions()).toBe(before + 1);
});

test.each(['paused', 'Manual'])(
  'a workload does not take an edit along when its rollout is %s',
  async (how) => {
    await using it = await startStory();
    const { release } = it;
    const { status: before } = await release.rollout();
    const body = { spec: how === 'paused' ? { paused: true } : { release: 'Manual' } };
    const where = { namespace: release.namespace, name: 'configmap-foo' };
    await release.client.patch(configRollouts, where, { type: 'merge', body });
    await release.when.applied(configMap('foo', { color: 'green' }), web('busybox:2'));
    await release.eventually<Deployment>(
      'the new image is rolled out',
      deployments,
      'web',
      ({ metadata, status, spec }) =>
        spec.template.spec.containers[0]?.image === 'busybox:2' &&
        status?.observedGeneration === metadata.generation &&
        status?.updatedReplicas === spec.replicas,
    );
    await podsRun(release, 'web', before?.current?.object);
  },
);

test('when the workload is applied before its config, both still arrive', async () => {
  await using it = await startStory();
  const { release } = it;
  const before = await replicaSetCount(release);
  await release.when.applied(web('busybox:2'), configMap('foo', { color: 'green' }));
  const { status } = await settled(release, '1.0.1', ['web']);
  expect(lineOf(status, 'web')?.state).toBe('Healthy');
  // Kubernetes starts the rolling update of the workload before the edit exists.
  expect((await replicaSetCount(release)) - before).toBeLessThanOrEqual(2);
});
