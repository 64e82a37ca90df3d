import { configMaps, deployments, events, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isParked, isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const app = [mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp] as const;

interface RecordedEvent extends KubeObject {
  involvedObject: { kind: string; name: string };
  reason: string;
  count?: number;
  source?: { component?: string };
}

/** Returns all Events of Trimtab, as `Kind/name Reason`, with their counts. */
async function recorded({ client, namespace }: ReleaseStory): Promise<Record<string, number>> {
  const { items } = await client.list<RecordedEvent>(events, { namespace });
  const counts: Record<string, number> = {};
  for (const { involvedObject, reason, count = 1, source } of items) {
    const key = `${involvedObject.kind}/${involvedObject.name} ${reason}`;
    if (source?.component === 'trimtab') counts[key] = (counts[key] ?? 0) + count;
  }
  return counts;
}

/** Waits until an Event, as `Kind/name Reason`, was recorded so often. */
const isTold = (it: ReleaseStory, what: string, count = 1) =>
  waitFor(`${what} is told`, async () => {
    const seen = await recorded(it);
    return (seen[what] ?? 0) >= count ? { met: seen } : { seen: Object.keys(seen).join(', ') };
  });

/** The cells of the last row that `kubectl get` prints; empty cells are left out. */
const columns = (text: string) =>
  text
    .trim()
    .split('\n')
    .at(-1)
    ?.split(/\s{2,}/) ?? [];

test('CI waits for its own edit with kubectl alone, and not for the release before', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app));
  await settled(it, '1.0.0', ['web']);

  const wait = (...condition: string[]) =>
    it.when.kubectl('wait', 'configrollout/configmap-foo', '--timeout=60s', ...condition);
  const released = async (data: Record<string, string>) => {
    const { metadata } = await it.when.edited(configMaps, 'foo', withData(data));
    await wait(`--for=jsonpath={.status.observed.liveResourceVersion}=${metadata.resourceVersion}`);
    await wait('--for=condition=Reconciling=False');
    return it.rollout();
  };
  const good = await released({ color: 'green' });
  expect(good.status).toMatchObject({ phase: 'Current', current: { version: '1.0.1' } });
  expect(good.status?.observedGeneration).toBe(good.metadata.generation);
  await wait('--for=condition=Ready');

  const bad = await released({ pods: 'crash-loop' });
  expect(bad.status).toMatchObject({ phase: 'Failed', current: { version: '1.0.1' } });
  expect(conditionOf(bad, 'Ready')).toMatchObject({ status: 'False', reason: 'Rejected' });
  await wait('--for=condition=Stalled');
});

test('a rollout is Ready when all pods of its workloads run the version, and not before', async () => {
  await using it = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(it.client, it.namespace, () => 'works');
  const unmanaged = deployment('web', mountingConfigMap('foo', '/etc/foo'), runningTheApp, withReplicas(2));
  await it.given.objects(configMap('foo', { color: 'blue' }), unmanaged);
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  const { namespace } = it;
  await using recording = await StateRecording.start<ConfigRollout>(it.client, configRollouts, { namespace });
  const old = new Set((await it.client.list(pods, { namespace })).items.map(({ metadata }) => metadata.uid));
  await simulated.becomes((_, { metadata }) => (old.has(metadata.uid) ? 'works' : 'starts'));

  await it.when.kubectl('annotate', 'deployment/web', `${annotations.manage}=true`);
  const updating = await it.rolloutIs('its first new pod starts', ({ updated }) => updated === '1/2');
  expect(conditionOf(updating, 'Ready')).toMatchObject({ status: 'False', reason: 'Assigning' });
  await simulated.becomes(() => 'works');
  await it.when.kubectl('wait', 'configrollout/configmap-foo', '--timeout=60s', '--for=condition=Ready');
  const isReady = (rollout: ConfigRollout) => conditionOf(rollout, 'Ready')?.status === 'True';
  const ready = (await recording.upToNow()).filter(isReady).map(({ status }) => status);
  expect(new Set(ready.map((each) => `${each?.current?.version} ${each?.updated}`))).toEqual(
    new Set(['1.0.0 2/2']),
  );
});

test('a release is told once on the rollout, and a rollback also on the config and the workload', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.given.objects(configMap('foo', { color: 'blue' }));
  await it.shortBake(['foo']);
  await it.given.objects(deployment('web', ...app));
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ pods: 'config-error' }));
  const { status } = await isRolledBack(it, '1.0.1');
  expect(status?.history?.[0]).toMatchObject({
    result: 'RolledBack',
    reason: expect.stringContaining('CreateContainerConfigError'),
  });
  await it.when.kubectl('rollout', 'status', 'deployment/web');

  for (const subject of ['ConfigRollout/configmap-foo', 'ConfigMap/foo', 'Deployment/web'])
    await isTold(it, `${subject} RolledBack`);
  expect(await recorded(it)).toEqual({
    'ConfigMap/foo CreateContainerConfigError': 1,
    'ConfigMap/foo RolledBack': 1,
    'ConfigRollout/configmap-foo ActivationStarted': 1,
    'ConfigRollout/configmap-foo CreateContainerConfigError': 1,
    'ConfigRollout/configmap-foo RolledBack': 1,
    'ConfigRollout/configmap-foo VersionCurrent': 1,
    'Deployment/web CreateContainerConfigError': 1,
    'Deployment/web RolledBack': 1,
  });

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.2', ['web']);
  await isTold(it, 'ConfigRollout/configmap-foo VersionCurrent', 2);
});

test('a version that waits says so at once, and once: for a person, for its interval, while it is paused', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo'], { minIntervalSeconds: 3600 });
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app));
  await settled(it, '1.0.0', ['web']);
  await it.when.kubectl('rollout', 'pause', 'deployment/web');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  for (const subject of ['ConfigRollout/configmap-foo', 'ConfigMap/foo', 'Deployment/web'])
    await isTold(it, `${subject} WaitingForResume`);
  await it.strategyIs({ progressDeadlineSeconds: 1 });
  await isParked(it, '1.0.1', 'WaitingForResume');
  await it.strategyIs({ progressDeadlineSeconds: 600 });
  await it.when.kubectl('rollout', 'resume', 'deployment/web');
  await settled(it, '1.0.1', ['web']);

  await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
  for (const subject of ['ConfigRollout/configmap-foo', 'ConfigMap/foo'])
    await isTold(it, `${subject} WaitingForInterval`);
  const paused = '--patch={"spec":{"paused":true}}';
  await it.when.kubectl('patch', 'configrollout/configmap-foo', '--type=merge', paused);
  await it.eventuallyEvent('the pause is told', 'ConfigMap', 'foo', ({ reason, message }) =>
    `${reason} ${message}`.startsWith('Paused The rollout is paused by spec.paused; version 1.0.2 waits'),
  );
  const all = Object.entries(await recorded(it)).filter(([key]) => / (WaitingFor|Paused)/.test(key));
  expect(
    all.every(([, count]) => count === 1),
    JSON.stringify(all),
  ).toBe(true);
});

test('kubectl get shows a pin, and why it is not Ready with -o wide', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), managed),
  );
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  await it.eventually<Deployment>(
    'web is undone',
    deployments,
    'web',
    ({ status }) => status?.replicas === 1 && status.updatedReplicas === 1 && status.availableReplicas === 1,
  );
  await it.rolloutIs(
    'no pod runs the current version',
    (status) => lineOf(status, 'web')?.state === 'Pinned' && status.updated === '0/1',
  );

  const narrow = columns(await it.when.kubectl('get', 'configrollouts'));
  expect(narrow.slice(0, -1)).toEqual(['configmap-foo', 'foo', '1.0.1', 'False', '0/1']);
  const wide = columns(await it.when.kubectl('get', 'configrollouts', '--output=wide'));
  expect(wide.slice(6, 8)).toEqual(['Current', 'Pinned']);
  expect(wide[8]).toContain('Deployment web');
  await isTold(it, 'Deployment/web Pinned');
});

test('kubectl get shows with -o wide that a version or a config does not exist', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.given.objects(configMap('foo', { color: 'blue' }));
  await it.shortBake(['foo', 'ghost']);
  await it.isCurrent('1.0.0');
  const unknown = '--patch={"spec":{"version":"9.9"}}';
  await it.when.kubectl('patch', 'configrollout/configmap-foo', '--type=merge', unknown);
  const shown = async (rollout: string, reason: string) => {
    await it.rolloutIs(
      `Ready says ${reason}`,
      (status) => conditionOf({ status }, 'Ready')?.reason === reason,
      rollout,
    );
    return columns(await it.when.kubectl('get', 'configrollout', rollout, '--output=wide'));
  };
  const foo = await shown('configmap-foo', 'UnknownVersion');
  expect(foo.slice(0, 5)).toEqual(['configmap-foo', 'foo', '1.0.0', 'False', '0/0']);
  expect(foo.slice(6)).toEqual(['Current', 'UnknownVersion', expect.stringContaining('"9.9"')]);
  const ghost = await shown('configmap-ghost', 'ConfigNotFound');
  expect(ghost.slice(5)).toEqual(['Failed', 'ConfigNotFound', expect.stringContaining('does not exist')]);
});

test('a pin concerns the configs of which a workload runs another version, and is told once', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo', 'bar']);
  await it.given.objects(
    ...[configMap('foo', { color: 'blue' }), configMap('bar', { size: 'M' })],
    deployment('web', mountingConfigMap('foo', '/etc/foo'), envFromConfigMap('bar'), managed),
  );
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'configmap-bar');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);

  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  await it.rolloutIs('web is pinned', (status) => lineOf(status, 'web')?.state === 'Pinned');
  for (const subject of ['ConfigRollout/configmap-foo', 'ConfigMap/foo', 'Deployment/web'])
    await isTold(it, `${subject} Pinned`);
  const bar = await settled(it, '1.0.0', ['web'], 'configmap-bar');
  expect(conditionOf(bar, 'Ready')?.status, 'bar runs everywhere').toBe('True');
  const pins = Object.entries(await recorded(it)).filter(([key]) => key.endsWith(' Pinned'));
  expect(pins.map(([, count]) => count)).toEqual([1, 1, 1]);
});

test('after an undo onto what was rolled back, kubectl and the condition name the same way out', async () => {
  await using it = await installedStory(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app));
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ pods: 'crash-loop' }));
  await isRolledBack(it, '1.0.1');
  await it.when.kubectl('rollout', 'status', 'deployment/web');

  const { namespace } = it;
  const { stderr } = await kubectl(engine, ['rollout', 'undo', 'deployment/web'], { namespace });
  const wayOut = /kubectl (rollout undo deployment\/web --to-revision=\d+)/;
  const warned = wayOut.exec(stderr)?.[1];
  expect(warned, stderr).toBeDefined();
  const pinned = await it.rolloutIs(
    'web is pinned to what was rolled back',
    (status) => conditionOf({ status }, 'Ready')?.reason === 'PinnedToRejected',
  );
  expect(wayOut.exec(conditionOf(pinned, 'Ready')?.message ?? '')?.[1]).toBe(warned);
  await isTold(it, 'ConfigMap/foo PinnedToRejected');

  await it.when.kubectl(...(warned ?? '').split(' '));
  await it.rolloutIs('web is as it was', (status) => lineOf(status, 'web')?.state === 'Healthy');
});
