import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { mountedBy, mountedByPod, type Pod, podsRun } from '../support/mounted-versions.ts';
import { isAborted } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountingFoo = mountingConfigMap('foo', '/etc/foo');
const workload = (name: string) => deployment(name, mountingFoo, managed);
const edit = (it: ReleaseStory, color: string) => it.when.edited(configMaps, 'foo', withData({ color }));

/** Waits until the workloads run the version and only the bake time is missing. */
const bakes = (it: ReleaseStory, version: string, workloads: readonly string[]) =>
  it.rolloutIs(
    `${version} bakes`,
    (status) =>
      status.target?.version === version &&
      workloads.every((name) => lineOf(status, name)?.state === 'Healthy'),
  );

async function expectAborted(it: ReleaseStory, version: string): Promise<void> {
  const copy = (await it.copies()).get(version);
  expect(copy?.metadata.labels?.[labels.state]).not.toBe('current');
  expect(JSON.parse(copy?.metadata.annotations?.[annotations.rejected] ?? '{}')).toMatchObject({
    aborted: true,
  });
}

test.each([
  ['with the controller alone', () => ReleaseStory.start(engine)],
  ['with the webhook', () => installedStory(engine)],
])(
  'undo while a version bakes is a veto: the one before stays current, nobody tries again, %s',
  async (_, start) => {
    await using it = await start();
    await it.shortBake(['foo'], { bakeSeconds: 600 });
    await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'));
    const first = await settled(it, '1.0.0', ['web']);
    await edit(it, 'green');
    await bakes(it, '1.0.1', ['web']);

    await it.when.kubectl('rollout', 'undo', 'deployment/web');
    const aborted = await isAborted(it, '1.0.1');
    expect(aborted.status?.current).toEqual(first.status?.current);
    expect(conditionOf(aborted, 'Ready')?.status).toBe('False');
    await expectAborted(it, '1.0.1');
    await podsRun(it, 'web', first.status?.current?.object);

    const undone = (await it.copies()).get('1.0.1')?.metadata.name;
    await using started = await StateRecording.start<Pod>(it.client, pods, { namespace: it.namespace });
    await it.controllerRestarts();
    await it.strategyIs({ bakeSeconds: 1 });
    const { metadata } = await it.rollout();
    await it.rolloutIs(
      'it is still aborted',
      ({ observed, phase }) => observed?.generation === metadata.generation && phase === 'Aborted',
    );
    await edit(it, 'yellow');
    const third = await settled(it, '1.0.2', ['web']);
    expect(await mountedBy(it, 'web')).toBe(third.status?.current?.object);
    expect((await started.upToNow()).map(mountedByPod)).not.toContain(undone);
  },
);

test('a version that was aborted is tried again when a person asks', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'));
  await settled(it, '1.0.0', ['web']);
  const { metadata } = await it.object(deployments, 'web');
  await edit(it, 'yellow');
  await settled(it, '1.0.1', ['web']);
  await it.strategyIs({ bakeSeconds: 600 });
  await edit(it, 'green');
  await bakes(it, '1.0.2', ['web']);
  // Not to the version before, but to an older one.
  const revision = metadata.annotations?.['deployment.kubernetes.io/revision'];
  await it.when.kubectl('rollout', 'undo', 'deployment/web', `--to-revision=${revision}`);
  await isAborted(it, '1.0.2');

  await it.strategyIs({ bakeSeconds: 1 });
  await it.when.kubectl('annotate', 'configrollout/configmap-foo', `${annotations.retry}=now`);
  const { status } = await settled(it, '1.0.2', ['web']);
  await podsRun(it, 'web', status?.current?.object);
});

test('when one of two workloads is undone it has left, the other one decides, and the pin stays visible', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo'], { bakeSeconds: 600 });
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'), workload('api'));
  const first = await settled(it, '1.0.0', ['web', 'api']);
  await edit(it, 'green');
  await bakes(it, '1.0.1', ['web', 'api']);

  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  const left = await it.rolloutIs('web has left', (status) => lineOf(status, 'web')?.state === 'Left');
  expect(left.status?.phase).toBe('BeingCurrent');
  await it.strategyIs({ bakeSeconds: 1 });
  const after = await settled(it, '1.0.1', ['api']);
  expect(lineOf(after.status, 'web')?.state).toBe('Pinned');
  expect(conditionOf(after, 'Ready')).toMatchObject({ status: 'False', reason: 'Pinned' });
  expect(await mountedBy(it, 'web')).toBe(first.status?.current?.object);
  expect(await mountedBy(it, 'api')).toBe(after.status?.current?.object);
});

test('when both of two workloads are undone, the version is aborted', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo'], { bakeSeconds: 600 });
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'), workload('api'));
  const first = await settled(it, '1.0.0', ['web', 'api']);
  await edit(it, 'green');
  await bakes(it, '1.0.1', ['web', 'api']);

  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  await it.rolloutIs('web has left', (status) => lineOf(status, 'web')?.state === 'Left');
  await it.when.kubectl('rollout', 'undo', 'deployment/api');
  const aborted = await isAborted(it, '1.0.1');
  expect(aborted.status?.current).toEqual(first.status?.current);
  for (const name of ['web', 'api']) await podsRun(it, name, first.status?.current?.object);
});

test('a version whose only workload is deleted in the middle is aborted, and a new workload starts on the one before', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo'], { bakeSeconds: 600 });
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'));
  const first = await settled(it, '1.0.0', ['web']);
  await edit(it, 'green');
  await bakes(it, '1.0.1', ['web']);

  await it.when.kubectl('delete', 'deployment/web');
  const aborted = await isAborted(it, '1.0.1');
  expect(aborted.status?.current).toEqual(first.status?.current);
  expect(aborted.status?.workloads).toEqual([]);
  await expectAborted(it, '1.0.1');

  await it.given.objects(workload('web'));
  await it.eventually(
    'web has a copy',
    deployments,
    'web',
    ({ metadata }) => metadata.labels?.[labels.assigned] !== undefined,
  );
  await podsRun(it, 'web', first.status?.current?.object);
});
