import { configMaps, daemonSets, deployments, pods } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { openNodes } from '@trimtab/test-bed/engines/open-nodes.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type DaemonSet, daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, onNodesOfTheirOwn } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { managed } from '../support/managed.ts';
import { mountedBy, type Pod, podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isParked, isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { type App, runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const app = () => [mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp] as const;
const edit = (release: ReleaseStory, data: Record<string, string>) =>
  release.when.edited(configMaps, 'foo', withData(data));
const podsOf = async ({ client, namespace }: ReleaseStory, workload: string) =>
  (await client.list<Pod>(pods, { namespace, labelSelector: `app=${workload}` })).items;

/** Pods behave as their config says. Pods that are created from now on start slowly if it says nothing. */
async function newPodsStartSlowly(release: ReleaseStory): Promise<App> {
  const known = new Set((await podsOf(release, 'web')).map(({ metadata }) => metadata.uid));
  return (data, pod) =>
    data['pods'] === undefined && !known.has(pod.metadata.uid) ? 'starts' : obedientApp(data, pod);
}

test('a bad edit while a scale-up is still starting is rolled back', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app()));
  const { status: before } = await settled(release, '1.0.0', ['web']);

  await simulated.becomes(await newPodsStartSlowly(release));
  await release.when.kubectl('scale', 'deployment/web', '--replicas=2');
  await release.eventually<Deployment>(
    'its second pod is starting',
    deployments,
    'web',
    ({ status }) => status?.replicas === 2 && status.readyReplicas === 1,
  );
  await edit(release, { pods: 'crash-loop' });
  const failed = await isRolledBack(release, '1.0.1');
  expect(failed.status?.current).toEqual(before?.current);
  expect(await mountedBy(release, 'web')).toBe(before?.current?.object);
  await simulated.becomes(obedientApp);
  await podsRun(release, 'web', before?.current?.object, 2);
});

test('a bad edit during a restart of pods that once crashed is rolled back', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app()));
  const { status: before } = await settled(release, '1.0.0', ['web']);
  await simulated.becomes(() => 'crash-loop');
  await release.eventuallyAll<Pod>(
    'its pod has restarted twice',
    pods,
    (all) => all.some(({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 1),
    'app=web',
  );
  await simulated.becomes(obedientApp);
  await settled(release, '1.0.0', ['web']);

  await simulated.becomes(await newPodsStartSlowly(release));
  await release.when.kubectl('rollout', 'restart', 'deployment/web');
  await release.eventually<Deployment>(
    'the pod of the restart is starting',
    deployments,
    'web',
    ({ status }) => status?.replicas === 2 && status.updatedReplicas === 1,
  );
  await edit(release, { pods: 'crash-loop' });
  const failed = await isRolledBack(release, '1.0.1');
  expect(failed.status?.current).toEqual(before?.current);
  expect(await mountedBy(release, 'web')).toBe(before?.current?.object);
});

test('with one pod Pending, the others still judge: a good edit becomes current, a bad one is rolled back', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  const nodeCount = (await openNodes(release.client)).length;
  await release.shortBake(['foo'], { progressDeadlineSeconds: 5 });
  const allAtOnce = ({ spec }: Deployment) => {
    spec.strategy = {
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 0, maxUnavailable: nodeCount + 1 },
    };
  };
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', ...app(), withReplicas(nodeCount), onNodesOfTheirOwn, allAtOnce),
  );
  await settled(release, '1.0.0', ['web']);
  await release.when.kubectl('scale', 'deployment/web', `--replicas=${nodeCount + 1}`);
  await release.eventually<Deployment>(
    'no node takes the last pod',
    deployments,
    'web',
    ({ status }) => status?.replicas === nodeCount + 1 && status.readyReplicas === nodeCount,
  );

  await edit(release, { color: 'green' });
  const { status: good } = await release.isCurrent('1.0.1');
  expect(await mountedBy(release, 'web')).toBe(good?.current?.object);
  await edit(release, { pods: 'crash-loop' });
  const failed = await isRolledBack(release, '1.0.2');
  expect(failed.status?.current).toEqual(good?.current);
  expect(await mountedBy(release, 'web')).toBe(good?.current?.object);
});

test('a DaemonSet with a pod on a lost node is judged by its other pods', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  const nodeCount = (await openNodes(release.client)).length;
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), daemonSet('agent', ...app()));
  const { status: before } = await settled(release, '1.0.0', ['agent']);

  const [lost] = await podsOf(release, 'agent');
  await simulated.becomes((data, pod) =>
    pod.metadata.uid === lost?.metadata.uid ? 'unready' : obedientApp(data, pod),
  );
  await release.eventually<DaemonSet>(
    'one pod is not Ready',
    daemonSets,
    'agent',
    ({ status }) => status?.numberReady === nodeCount - 1,
  );
  // As the node controller reports it when a node stops sending heartbeats.
  await release.client.patch(
    pods,
    { namespace: release.namespace, name: lost?.metadata.name ?? '' },
    {
      type: 'strategic',
      body: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NodeNotReady' }] } },
    },
    { subresource: 'status' },
  );
  await edit(release, { pods: 'crash-loop' });
  const failed = await isRolledBack(release, '1.0.1');
  expect(failed.status?.current).toEqual(before?.current);
  expect(await mountedBy(release, 'agent', daemonSets)).toBe(before?.current?.object);
  await simulated.becomes(obedientApp);
  await podsRun(release, 'agent', before?.current?.object, nodeCount);
});

test('pods that fail as the old ones did prove nothing: the version is neither rejected nor current', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 3, maxRestarts: 0 });
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app()));
  await settled(release, '1.0.0', ['web']);
  // Long enough that the old pod is certainly down when the version is assigned.
  await release.when.kubectl('annotate', 'pods', '--selector=app=web', 'bed.trimtab.dev/back-off=10s');
  await simulated.becomes(() => 'crash-loop');
  await isDown(release);

  await edit(release, { color: 'green' });
  const parked = await isParked(release, '1.0.1', 'FailedBefore');
  expect(parked.status?.current?.version).toBe('1.0.0');
  expect(lineOf(parked.status, 'web')?.state).toBe('NotJudged');

  await release.hasTime();
  await simulated.becomes(obedientApp);
  await settled(release, '1.0.1', ['web']);
});

test('pods that crashed before a bad edit and fail in another way since then are rolled back', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app()));
  const { status: before } = await settled(release, '1.0.0', ['web']);
  await simulated.becomes((data) => (data['color'] === 'blue' ? 'crash-loop' : 'config-error'));
  await isDown(release);

  await edit(release, { color: 'green' });
  const failed = await isRolledBack(release, '1.0.1');
  expect(failed.status?.current).toEqual(before?.current);
  expect(await mountedBy(release, 'web')).toBe(before?.current?.object);
});

test('a bad version that supersedes a bad one is rolled back to the last good one', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { onFailure: 'Pause' });
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app()));
  const { status: before } = await settled(release, '1.0.0', ['web']);
  const isPaused = (version: string) =>
    release.rolloutIs(
      `${version} fails and waits`,
      ({ phase, target }) => phase === 'Paused' && target?.version === version,
    );

  await edit(release, { color: 'green', pods: 'crash-loop' });
  await isPaused('1.0.1');
  await edit(release, { color: 'red', pods: 'crash-loop' });
  const second = await isPaused('1.0.2');
  expect(lineOf(second.status, 'web')?.state).toBe('Failed');

  await release.strategyIs({ onFailure: 'Rollback' });
  const failed = await isRolledBack(release, '1.0.2');
  expect(failed.status?.current).toEqual(before?.current);
  expect(failed.status?.history?.[1]).toMatchObject({ version: '1.0.1', result: 'Superseded' });
  await podsRun(release, 'web', before?.current?.object);
});

function isDown(release: ReleaseStory): Promise<Pod[]> {
  return release.eventuallyAll<Pod>(
    'its pod has crashed',
    pods,
    (all) => all.some(({ status }) => status?.containerStatuses?.[0]?.state.terminated !== undefined),
    'app=web',
  );
}
