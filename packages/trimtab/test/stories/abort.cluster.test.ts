import { configMaps, deployments, pods, statefulSets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { installedStory } from '../support/installed-story.ts';
import { inWave, managed } from '../support/managed.ts';
import { mountedBy, mountedByPod, type Pod, podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isAborted, isParked, isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountingFoo = mountingConfigMap('foo', '/etc/foo');
const web = () => deployment('web', mountingFoo, managed, runningTheApp);
const edit = (it: ReleaseStory, data: Record<string, string>, config = 'foo') =>
  it.when.edited(configMaps, config, withData(data));

/** Waits until the workloads run the version and only the bake time is missing. */
const bakes = (it: ReleaseStory, version: string, ...workloads: string[]) =>
  it.rolloutIs(
    `${version} bakes`,
    (status) =>
      status.target?.version === version &&
      workloads.every((name) => lineOf(status, name)?.state === 'Healthy'),
  );

/** Asks to abort the activation that runs according to this rollout. */
const abort = (it: ReleaseStory, { status }: ConfigRollout, rollout = 'configmap-foo') =>
  it.annotates(configRollouts, rollout, { [annotations.abort]: status?.target?.activation ?? '' });

async function abortedOf(it: ReleaseStory, version: string, config = 'foo') {
  const { metadata } = (await it.copies(config)).get(version) ?? {};
  expect(metadata?.labels?.[labels.state]).toBe('rejected');
  return JSON.parse(metadata?.annotations?.[annotations.rejected] ?? '{}');
}

test.each([
  ['with the controller alone', () => ReleaseStory.start(engine)],
  ['with the webhook', () => installedStory(engine)],
])('an abort gives all workloads their version back, and nobody tries again, %s', async (_, start) => {
  await using it = await start();
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo'], { bakeSeconds: 3600 });
  const late = statefulSet('late', mountingFoo, managed, runningTheApp);
  await it.given.objects(configMap('foo', { color: 'blue' }), web(), late);
  const first = await settled(it, '1.0.0', ['web', 'late']);
  const blue = first.status?.current?.object;
  await edit(it, { color: 'green' });
  await abort(it, await bakes(it, '1.0.1', 'web', 'late'));

  const aborted = await isAborted(it, '1.0.1');
  expect(aborted.status?.current).toEqual(first.status?.current);
  expect(aborted.status?.history?.[0]?.reason).toMatch(/^Aborted by .+ \(field manager\)$/);
  for (const type of ['Ready', 'Degraded', 'Stalled'])
    expect(conditionOf(aborted, type), type).toMatchObject({
      reason: 'Aborted',
      message: expect.stringMatching(/^Version 1\.0\.1 was aborted by .*trimtab\.dev\/retry/),
    });
  expect(await abortedOf(it, '1.0.1')).toMatchObject({ aborted: true });
  expect(await mountedBy(it, 'late', statefulSets)).toBe(blue);
  for (const name of ['web', 'late']) await podsRun(it, name, blue);
  await it.eventuallyEvent('it is told on web', 'Deployment', 'web', ({ reason }) => reason === 'Aborted');
  const live = await it.object<ConfigMap>(configMaps, 'foo');
  expect(live.data).toEqual({ color: 'green' });

  const green = (await it.copies()).get('1.0.1')?.metadata.name;
  await using started = await StateRecording.start<Pod>(it.client, pods, { namespace: it.namespace });
  await it.controllerRestarts();
  await it.strategyIs({ bakeSeconds: 0 });
  await edit(it, { color: 'yellow' });
  await settled(it, '1.0.2', ['web', 'late']);
  expect((await started.upToNow()).map(mountedByPod)).not.toContain(green);
});

test('a rebuilt status does not try an aborted version again, and a person does', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo'], { bakeSeconds: 3600 });
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const first = await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  await abort(it, await bakes(it, '1.0.1', 'web'));
  await isAborted(it, '1.0.1');
  await podsRun(it, 'web', first.status?.current?.object);

  await it.controller.stop();
  const { status: _, ...rollout } = await it.rollout();
  await it.client.update<ConfigRollout>(configRollouts, rollout, { subresource: 'status' });
  await it.controllerRestarts();
  const rebuilt = await it.rolloutIs(
    'the status is there again',
    ({ phase, target }) => phase === 'Aborted' && target === undefined,
  );
  expect(rebuilt.status?.current?.version).toBe('1.0.0');
  await it.strategyIs({ bakeSeconds: 0 });
  await it.annotates(configRollouts, 'configmap-foo', { [annotations.retry]: 'now' });
  await settled(it, '1.0.1', ['web']);
});

test('a release is aborted while it is paused, and before its second wave begins', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo'], { bakeSeconds: 3600 });
  const late = deployment('late', mountingFoo, managed, runningTheApp, inWave(1));
  await it.given.objects(configMap('foo', { color: 'blue' }), web(), late);
  const first = await settled(it, '1.0.0', ['web', 'late']);
  const { generation } = (await it.object(deployments, 'late')).metadata;
  await edit(it, { color: 'green' });
  await bakes(it, '1.0.1', 'web');
  const where = { namespace: it.namespace, name: 'configmap-foo' };
  await it.client.patch(configRollouts, where, { type: 'merge', body: { spec: { paused: true } } });
  await abort(
    it,
    await it.rolloutIs('it is paused', ({ phase, target }) => phase === 'Paused' && target !== undefined),
  );
  await it.rolloutIs(
    '1.0.1 is aborted',
    ({ target, history }) => target === undefined && history?.[0]?.result === 'Aborted',
  );
  await podsRun(it, 'web', first.status?.current?.object);
  expect((await it.object(deployments, 'late')).metadata.generation).toBe(generation);
});

test('a parked release is aborted', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const first = await settled(it, '1.0.0', ['web']);
  await edit(it, { pods: 'starts' });
  await it.rolloutIs(
    '1.0.1 is on its way',
    (status) => status.target !== undefined && lineOf(status, 'web')?.updated === 1,
  );
  await it.when.scaled(deployments, 'web', 0);
  await it.rolloutIs('its pods are gone', (status) => lineOf(status, 'web')?.state === 'ScaledToZero');
  await it.strategyIs({ progressDeadlineSeconds: 1 });
  await abort(it, await isParked(it, '1.0.1', 'ScaledToZero'));
  await isAborted(it, '1.0.1');
  expect(await mountedBy(it, 'web')).toBe(first.status?.current?.object);
});

test('configs that are released together are aborted together, whichever of them is asked', async () => {
  await using it = await ReleaseStory.start(engine, { flags: ['--coalesce', '3s'] });
  await it.shortBake(['foo', 'bar'], { bakeSeconds: 3600 });
  const both = deployment('web', mountingFoo, envFromConfigMap('bar'), managed);
  const configs = (color: string) => [configMap('foo', { color }), configMap('bar', { bar: color })];
  await it.given.objects(...configs('blue'), both);
  const first = await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'configmap-bar');
  await Promise.all([edit(it, { color: 'green' }), edit(it, { bar: 'green' }, 'bar')]);
  const baking = await bakes(it, '1.0.1', 'web');
  expect(baking.status?.target?.members).toEqual(['ConfigMap/bar', 'ConfigMap/foo']);

  await abort(it, baking, 'configmap-bar');
  await Promise.all([isAborted(it, '1.0.1'), isAborted(it, '1.0.1', 'configmap-bar')]);
  await podsRun(it, 'web', first.status?.current?.object);
  const set = { 'ConfigMap/bar': '1.0.1', 'ConfigMap/foo': '1.0.1' };
  for (const config of ['foo', 'bar'])
    expect(await abortedOf(it, '1.0.1', config)).toMatchObject({ aborted: true, sets: [set] });
});

test('an abort of another activation has no effect: one before, one that was superseded, one that fails', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo'], { bakeSeconds: 3600 });
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const first = await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  const superseded = await bakes(it, '1.0.1', 'web');
  await edit(it, { color: 'yellow' });
  const second = await bakes(it, '1.0.2', 'web');
  await abort(it, superseded);
  // The change of the strategy is observed after the annotation.
  await it.strategyIs({ bakeSeconds: 0 });
  const current = await settled(it, '1.0.2', ['web']);
  expect(current.status?.history?.map(({ result }) => result)).not.toContain('Aborted');

  await edit(it, { pods: 'crash-loop' });
  const failing = await it.rolloutIs('1.0.3 fails', ({ phase }) => phase === 'RollingBack');
  await abort(it, failing);
  await isRolledBack(it, '1.0.3');
  expect(await abortedOf(it, '1.0.3')).not.toHaveProperty('aborted');
  await podsRun(it, 'web', second.status?.target?.object);
  expect(first.status?.current?.object).not.toBe(second.status?.target?.object);
});
