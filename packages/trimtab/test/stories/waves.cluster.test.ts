import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { inWave, managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const names = ['first', 'second', 'third'] as const;
const threeWaves = () =>
  names.map((name, index) =>
    deployment(name, mountingConfigMap('foo', '/etc/foo'), managed, inWave(index + 1), runningTheApp),
  );

test('when the last of three waves fails, all three workloads have their previous version back', async () => {
  await using release = await ReleaseStory.start(engine);
  const { client, namespace, given, when } = release;
  await using _app = await SimulatedApp.start(client, namespace, obedientApp);
  await release.shortBake(['foo']);
  await given.objects(configMap('foo', { color: 'blue' }), ...threeWaves());
  const { status: before } = await settled(release, '1.0.0', names);
  await using recording = await StateRecording.start<Deployment>(client, deployments, { namespace });

  const bad = { color: 'green', third: 'crash-loop' };
  await when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
    foo.data = bad;
  });
  const failed = await release.rolloutIs(
    '1.0.1 is rolled back',
    ({ phase, target }) => phase === 'Failed' && target === undefined,
  );

  expect(failed.status?.current).toEqual(before?.current);
  expect(failed.status?.history?.[0]).toMatchObject({ version: '1.0.1', result: 'RolledBack' });
  for (const name of names) {
    await release.eventually<Deployment>(
      `${name} is well with 1.0.0`,
      deployments,
      name,
      (it) => mountedConfigMap(it) === before?.current?.object && isRolledOut(it),
    );
  }
  const foo = await client.get<ConfigMap>(configMaps, { namespace, name: 'foo' });
  expect(foo.data).toEqual(bad);
  const rejected = (await release.copies()).get('1.0.1')?.metadata.name;
  const states = await recording.upToNow();
  const began = names.map((name) =>
    states.findIndex((it) => it.metadata.name === name && mountedConfigMap(it) === rejected),
  );
  expect(began).toEqual([...began].sort((a, b) => a - b));
  expect(began).not.toContain(-1);
  for (const [index, name] of names.slice(0, -1).entries()) {
    const lower = states.slice(0, began[index + 1]).findLast(({ metadata }) => metadata.name === name);
    expect(lower && mountedConfigMap(lower), `${name} when the next wave began`).toBe(rejected);
    expect(lower && isRolledOut(lower), `${name} was healthy when the next wave began`).toBe(true);
  }
});

test('a wave that is not healthy keeps the next one waiting, which the status tells', async () => {
  await using release = await ReleaseStory.start(engine);
  const { client, namespace, given, when } = release;
  await using app = await SimulatedApp.start(client, namespace, obedientApp);
  await release.shortBake(['foo']);
  await given.objects(configMap('foo', { color: 'blue' }), ...threeWaves());
  const { status: before } = await settled(release, '1.0.0', names);

  await when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
    foo.data = { color: 'green', second: 'starts' };
  });
  const waiting = await release.rolloutIs(
    'the second wave is under way',
    (status) => lineOf(status, 'second')?.state === 'Progressing',
  );
  expect(lineOf(waiting.status, 'first')).toMatchObject({ state: 'Healthy', updated: 1, total: 1 });
  expect(lineOf(waiting.status, 'third')).toMatchObject({ state: 'Pending', updated: 0 });
  expect(waiting.status?.phase).toBe('BeingCurrent');
  const third = await client.get<Deployment>(deployments, { namespace, name: 'third' });
  expect(mountedConfigMap(third)).toBe(before?.current?.object);

  await app.becomes(() => 'works');
  await settled(release, '1.0.1', names);
});

function isRolledOut({ metadata, status }: Deployment): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === 1 &&
    status.replicas === 1 &&
    status.availableReplicas === 1
  );
}
