import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedByPod, type Pod, podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isAborted, isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp);
const edit = (it: ReleaseStory, data: Record<string, string>) =>
  it.when.edited(configMaps, 'foo', withData(data));

/** Empties the status while the controller is down, as a restore from a backup does, and starts the controller again. */
async function statusIsLost(it: ReleaseStory): Promise<void> {
  await it.controller.stop();
  const { status: _, ...rollout } = await it.rollout();
  await it.client.update<ConfigRollout>(configRollouts, rollout, { subresource: 'status' });
  expect((await it.rollout()).status).toEqual({ observedGeneration: -1 });
  await it.controllerRestarts();
}

/** Waits until the status is complete again and says how the wanted version ended. */
const isRebuilt = (it: ReleaseStory, phase: string) =>
  it.rolloutIs(
    `the status is there again and says ${phase}`,
    (status) => status.phase === phase && status.target === undefined && status.current !== undefined,
  );

test('a status that is lost after a rejection is rebuilt, and the rejected version is not tried again', async () => {
  await using it = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(it, '1.0.0', ['web']);
  await edit(it, { pods: 'crash-loop' });
  await isRolledBack(it, '1.0.1');
  await podsRun(it, 'web', before?.current?.object);
  await app.becomes(() => 'works');
  await using started = await StateRecording.start<Pod>(it.client, pods, { namespace: it.namespace });

  await statusIsLost(it);
  const { status } = await isRebuilt(it, 'Failed');
  expect(status?.current?.object).toBe(before?.current?.object);
  await edit(it, { color: 'green' });
  await settled(it, '1.0.2', ['web']);
  const rejected = (await it.copies()).get('1.0.1')?.metadata.name;
  expect((await started.upToNow()).map(mountedByPod)).not.toContain(rejected);
});

test.each([
  ['with spec.version', '--patch={"spec":{"version":"1.0.1"}}'],
  ['with an annotation', `--patch={"metadata":{"annotations":{"${annotations.retry}":"1"}}}`],
])('what was asked for %s and rejected is not asked for again by a lost status', async (_, patch) => {
  await using it = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(it, '1.0.0', ['web']);
  await edit(it, { pods: 'crash-loop' });
  await isRolledBack(it, '1.0.1');
  await it.when.kubectl('patch', 'configrollout/configmap-foo', '--type=merge', patch);
  await it.rolloutIs(
    '1.0.1 was tried twice',
    ({ phase, target, history }) => phase === 'Failed' && target === undefined && history?.length === 2,
  );
  await podsRun(it, 'web', before?.current?.object);
  await app.becomes(() => 'works');
  await using started = await StateRecording.start<Pod>(it.client, pods, { namespace: it.namespace });

  await statusIsLost(it);
  const { status } = await isRebuilt(it, 'Failed');
  expect(status?.current?.object).toBe(before?.current?.object);
  // A scale-up makes the controller look at everything again.
  await it.when.kubectl('scale', 'deployment/web', '--replicas=2');
  await podsRun(it, 'web', before?.current?.object, 2);
  const rejected = (await it.copies()).get('1.0.1')?.metadata.name;
  expect((await started.upToNow()).map(mountedByPod)).not.toContain(rejected);
});

test('a status that is lost after an abort is rebuilt, and the aborted version is not tried again', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, () => 'works');
  await it.shortBake(['foo'], { bakeSeconds: 600 });
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  await it.rolloutIs(
    '1.0.1 bakes',
    (status) => status.target?.version === '1.0.1' && lineOf(status, 'web')?.state === 'Healthy',
  );
  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  await isAborted(it, '1.0.1');
  await podsRun(it, 'web', before?.current?.object);
  await using started = await StateRecording.start<Pod>(it.client, pods, { namespace: it.namespace });

  await statusIsLost(it);
  const { status } = await isRebuilt(it, 'Aborted');
  expect(status?.current?.object).toBe(before?.current?.object);
  await it.strategyIs({ bakeSeconds: 1 });
  await edit(it, { color: 'red' });
  await settled(it, '1.0.2', ['web']);
  const aborted = (await it.copies()).get('1.0.1')?.metadata.name;
  expect((await started.upToNow()).map(mountedByPod)).not.toContain(aborted);
});

test('when a crash left two versions marked as current, the one that was marked last is current', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, () => 'works');
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  await settled(it, '1.0.1', ['web']);
  await edit(it, { color: 'blue' });
  const { status: before } = await settled(it, '1.0.0', ['web']);
  const copies = await it.copies();
  const { metadata } = await it.object(deployments, 'web');
  const { namespace } = it;
  await using recording = await StateRecording.start<ConfigRollout>(it.client, configRollouts, { namespace });
  await it.controller.stop();
  await it.when.kubectl(
    'label',
    '--overwrite',
    `configmap/${copies.get('1.0.1')?.metadata.name}`,
    `${labels.state}=current`,
  );
  await statusIsLost(it);
  const { status } = await settled(it, '1.0.0', ['web']);
  expect(status?.current?.object).toBe(before?.current?.object);
  await it.eventually(
    '1.0.1 has lost the mark',
    configMaps,
    copies.get('1.0.1')?.metadata.name ?? '',
    (copy) => copy.metadata.labels?.[labels.state] === 'not-current',
  );
  expect((await recording.upToNow()).flatMap((each) => each.status?.target ?? [])).toEqual([]);
  const after = await it.object(deployments, 'web');
  expect(after.metadata.generation, 'nothing restarts').toBe(metadata.generation);
  const countOf = (version: string) =>
    Number(copies.get(version)?.metadata.annotations?.[annotations.currentCount]);
  expect(countOf('1.0.0')).toBeGreaterThan(countOf('1.0.1'));
});
