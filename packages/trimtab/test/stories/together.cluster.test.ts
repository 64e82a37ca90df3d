import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  mountingConfigMap,
  mountingSecret,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { replicaSets } from '@trimtab/test-bed/objects/resources.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** Uses a long coalescing window: on a busy machine, one `kubectl apply` of three objects takes more than a second. */
const startStory = () => ReleaseStory.start(engine, { flags: ['--coalesce', '3s'] });

const rollouts = ['configmap-bar', 'configmap-foo', 'secret-key'];
const web = () =>
  deployment(
    'web',
    mountingConfigMap('foo', '/etc/foo'),
    envFromConfigMap('bar'),
    mountingSecret('key', '/etc/key'),
    managed,
    runningTheApp,
  );
const all = (color: string, fate = 'works') => [
  configMap('foo', { foo: color }),
  configMap('bar', { bar: color, pods: fate }),
  secret('key', { key: color }),
];
const allSettled = async (release: ReleaseStory, version: string) =>
  Promise.all(rollouts.map((rollout) => settled(release, version, ['web'], rollout)));
const replicaSetCount = async ({ client, namespace }: ReleaseStory) =>
  (await client.list(replicaSets, { namespace })).items.length;

/** Returns the ids of all activations of the recorded rollouts. */
async function activations(recording: StateRecording<ConfigRollout>): Promise<Set<string>> {
  const states = await recording.upToNow();
  return new Set(states.flatMap(({ status }) => status?.target?.activation ?? []));
}

test('two ConfigMaps and a Secret that change in one apply are one activation and one new ReplicaSet', async () => {
  await using release = await startStory();
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  const { client, namespace, when } = release;
  await release.shortBake(['foo', 'bar', 'secret/key']);
  await when.applied(...all('blue'), web());
  await allSettled(release, '1.0.0');
  const before = await replicaSetCount(release);
  await using recording = await StateRecording.start<ConfigRollout>(client, configRollouts, { namespace });

  await when.applied(...all('green'));
  await allSettled(release, '1.0.1');
  expect([...(await activations(recording))]).toHaveLength(1);
  expect(await replicaSetCount(release)).toBe(before + 1);
});

test('configs that fail together have one fate; the one that is edited is tried first, then the others', async () => {
  await using release = await startStory();
  await using app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  const { client, namespace, when } = release;
  await release.shortBake(['foo', 'bar', 'secret/key']);
  await when.applied(...all('blue'), web());
  const before = await allSettled(release, '1.0.0');
  const isRolledBack = (version: string) =>
    Promise.all(
      rollouts.map((rollout) =>
        release.rolloutIs(
          `${rollout} is rolled back`,
          ({ phase, target, history }) =>
            phase === 'Failed' && target === undefined && history?.[0]?.version === version,
          rollout,
        ),
      ),
    );

  await when.applied(...all('green', 'crash-loop'));
  const failed = await isRolledBack('1.0.1');
  expect(failed.map(({ status }) => status?.current)).toEqual(before.map(({ status }) => status?.current));

  await using recording = await StateRecording.start<ConfigRollout>(client, configRollouts, { namespace });
  // The application is fixed, and the user edits the Secret, which did not cause the failure.
  await app.becomes(() => 'works');
  await when.applied(secret('key', { key: 'red' }));
  await Promise.all([
    settled(release, '1.0.1', ['web'], 'configmap-foo'),
    settled(release, '1.0.1', ['web'], 'configmap-bar'),
    settled(release, '1.0.2', ['web'], 'secret-key'),
  ]);
  const members = new Map(
    (await recording.upToNow()).flatMap(({ status }) =>
      status?.target === undefined ? [] : [[status.target.activation, status.target.members]],
    ),
  );
  expect([...members.values()]).toEqual([['Secret/key'], ['ConfigMap/bar', 'ConfigMap/foo']]);
});

test('three quick edits of one ConfigMap are one version', async () => {
  await using release = await startStory();
  await release.shortBake(['foo']);
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), managed),
  );
  await settled(release, '1.0.0', ['web']);
  for (const color of ['green', 'yellow', 'red'])
    await release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
      foo.data = { color };
    });
  await settled(release, '1.0.1', ['web']);
  const copies = await release.copies();
  expect([...copies.keys()].sort()).toEqual(['1.0.0', '1.0.1']);
  expect(copies.get('1.0.1')?.data).toEqual({ color: 'red' });
});
