import { configMaps, pods } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedByPod, type Pod, podsRun } from '../support/mounted-versions.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { type App, runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** Uses a long coalescing window: on a busy machine, one `kubectl apply` of two objects takes a second. */
const startStory = () => ReleaseStory.start(engine, { flags: ['--coalesce', '2s'] });

const web = () =>
  deployment('web', mountingConfigMap('foo', '/etc/foo'), envFromConfigMap('bar'), managed, runningTheApp);
const hosts: App = ({ host }) => (host === 'typo' ? { crashes: 'no such host', exitCode: 3 } : 'works');
/** A new host takes the new password only, and the old one the old one. */
const hostsAndPasswords: App = (data, pod) =>
  data['host'] === 'typo' || data['host'] === data['password']
    ? hosts(data, pod)
    : { crashes: 'wrong password', exitCode: 4 };

/** Releases both configs together, which fails because of the host. */
async function bothAreRejected(it: ReleaseStory): Promise<void> {
  await it.shortBake(['foo', 'bar']);
  await it.when.applied(configMap('foo', { host: 'old' }), configMap('bar', { password: 'old' }), web());
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'configmap-bar');
  await it.when.applied(configMap('foo', { host: 'typo' }), configMap('bar', { password: 'new' }));
  await isRolledBack(it, '1.0.1');
  await isRolledBack(it, '1.0.1', 'configmap-bar');
}

/** Returns the set of versions of each activation, in the order in which they began. */
function triedSets(states: readonly ConfigRollout[]): string[] {
  const sets = new Map<string, Map<string, string>>();
  for (const { spec, status } of states) {
    const { activation, version } = status?.target ?? {};
    if (activation === undefined || version === undefined) continue;
    const set = sets.get(activation) ?? new Map();
    sets.set(activation, set.set(spec.config.name, version));
  }
  return [...sets.values()].map((set) =>
    [...set]
      .map(([config, version]) => `${config} ${version}`)
      .sort()
      .join(', '),
  );
}

test('a config is no hostage of a bad neighbour: its next edit is tried alone, and alone blamed for nothing', async () => {
  await using it = await startStory();
  await using _app = await SimulatedApp.start(it.client, it.namespace, hosts);
  await bothAreRejected(it);

  await it.when.edited(configMaps, 'bar', withData({ password: 'newer' }));
  const bar = await settled(it, '1.0.2', ['web'], 'configmap-bar');
  expect(bar.status?.history?.[0]).toMatchObject({ version: '1.0.2', result: 'Current' });
  // What foo holds was tried with the old password only, so it is tried once more, alone.
  const foo = await it.rolloutIs(
    'foo was tried alone and is rejected',
    ({ phase, target, history }) =>
      phase === 'Failed' &&
      target === undefined &&
      history?.filter(({ version, result }) => `${version} ${result}` === '1.0.1 RolledBack').length === 2,
  );
  expect(foo.status?.current?.version).toBe('1.0.0');
  expect(conditionOf(foo, 'Degraded')).toMatchObject({ status: 'True', reason: 'Rejected' });
  await settled(it, '1.0.2', ['web'], 'configmap-bar');
  await podsRun(it, 'web', foo.status?.current?.object);

  const bad = (await it.copies()).get('1.0.1')?.metadata.name;
  await using started = await StateRecording.start<Pod>(it.client, pods, { namespace: it.namespace });
  await it.when.edited(configMaps, 'bar', withData({ password: 'newest' }));
  const after = await settled(it, '1.0.3', ['web'], 'configmap-bar');
  expect(after.status?.history?.map(({ result }) => result)).toEqual(['Current', 'Current', 'RolledBack']);
  expect((await started.upToNow()).map(mountedByPod)).not.toContain(bad);
});

test('configs that belong together get there: the mended one is tried alone, then once with the other', async () => {
  await using it = await startStory();
  await using _app = await SimulatedApp.start(it.client, it.namespace, hostsAndPasswords);
  await bothAreRejected(it);
  const { namespace } = it;
  await using recording = await StateRecording.start<ConfigRollout>(it.client, configRollouts, { namespace });

  await it.when.edited(configMaps, 'foo', withData({ host: 'new' }));
  const [foo, bar] = await Promise.all([
    settled(it, '1.0.2', ['web']),
    settled(it, '1.0.1', ['web'], 'configmap-bar'),
  ]);
  expect(triedSets(await recording.upToNow())).toEqual(['foo 1.0.2', 'bar 1.0.1, foo 1.0.2']);
  expect(foo.status?.history?.map(({ version, result }) => `${version} ${result}`)).toEqual([
    '1.0.2 Current',
    '1.0.2 RolledBack',
    '1.0.1 RolledBack',
  ]);
  expect(bar.status?.history?.map(({ version, result }) => `${version} ${result}`)).toEqual([
    '1.0.1 Current',
    '1.0.1 RolledBack',
  ]);
  await podsRun(it, 'web', foo.status?.current?.object);
});

test('each set is tried once; a person asks again with an annotation', async () => {
  await using it = await startStory();
  await using app = await SimulatedApp.start(it.client, it.namespace, hosts);
  await bothAreRejected(it);
  const { namespace } = it;
  await using recording = await StateRecording.start<ConfigRollout>(it.client, configRollouts, { namespace });
  await app.becomes(() => 'works');
  await it.controllerRestarts();
  await it.strategyIs({ bakeSeconds: 0 });
  const { metadata } = await it.rollout();
  await it.rolloutIs(
    'nothing is tried by itself',
    ({ observed, phase }) => observed?.generation === metadata.generation && phase === 'Failed',
  );
  expect(triedSets(await recording.upToNow())).toEqual([]);

  await it.when.kubectl('annotate', 'configrollout/configmap-foo', `${annotations.retry}=1`);
  const { status } = await settled(it, '1.0.1', ['web']);
  await settled(it, '1.0.1', ['web'], 'configmap-bar');
  expect(triedSets(await recording.upToNow())).toEqual(['foo 1.0.1', 'bar 1.0.1']);
  await podsRun(it, 'web', status?.current?.object);
});
