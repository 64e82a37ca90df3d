import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { UpdateDenial } from '@trimtab/test-bed/engines/update-denial.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { addVersion } from '../../src/versions/writes/add-version.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const locked = annotated({ [annotations.release]: 'locked' });
const web = deployment('web', mountingConfigMap('foo', '/etc/foo'), managed);

type Data = Record<string, string>;

/** A Locked config without the admission policy, so that edits get past it. */
async function lockedStory(data: Data): Promise<ReleaseStory> {
  const it = await ReleaseStory.start(engine);
  await it.given.objects(configMap('foo', data, locked), web);
  await settled(it, '1.0.0', ['web']);
  await it.strategyIs({ bakeSeconds: 0 });
  return it;
}

async function adds(it: ReleaseStory, name: string, data: Data): Promise<void> {
  const { client, namespace } = it;
  const address = { kind: 'ConfigMap', namespace, name: 'foo' } as const;
  const body = { metadata: {}, data };
  await addVersion({ client, fieldManager: 'test', by: 'anna' }, address, body, name, false);
}

async function asksFor(it: ReleaseStory, version: string): Promise<void> {
  const where = { namespace: it.namespace, name: 'configmap-foo' };
  await it.client.patch(configRollouts, where, { type: 'merge', body: { spec: { version } } });
}

const holds = (it: ReleaseStory, data: Data) =>
  it.eventually<ConfigMap>(
    `foo holds ${JSON.stringify(data)}`,
    configMaps,
    'foo',
    (foo) => JSON.stringify(foo.data) === JSON.stringify(data),
  );
const fooData = async (it: ReleaseStory) => (await it.object<ConfigMap>(configMaps, 'foo')).data;

test('a version that is rolled back never gets to the config, and one that becomes current does', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  const app = deployment('web', mountingConfigMap('foo', '/etc/foo'), runningTheApp, managed);
  await it.given.objects(configMap('foo', { color: 'blue' }, locked), app);
  await settled(it, '1.0.0', ['web']);
  await it.strategyIs({ bakeSeconds: 0 });
  const before = await it.object<ConfigMap>(configMaps, 'foo');
  await adds(it, 'bad', { web: 'crash-loop' });
  await asksFor(it, 'bad');
  await it.rolloutIs('bad was rolled back', ({ phase }) => phase === 'Failed');
  const after = await it.object<ConfigMap>(configMaps, 'foo');
  expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);

  await adds(it, 'good', { color: 'green' });
  await asksFor(it, 'good');
  await settled(it, 'good', ['web']);
  await holds(it, { color: 'green' });
});

test('a workload that opts out gets the content of the current version at once', async () => {
  await using it = await lockedStory({ color: 'blue' });
  await adds(it, 'next', { color: 'green' });
  await asksFor(it, 'next');
  await settled(it, 'next', ['web']);
  await holds(it, { color: 'green' });
  await it.annotates(deployments, 'web', { [annotations.manage]: 'false' });
  await it.eventually<Deployment>(
    'web names foo',
    deployments,
    'web',
    (it) => mountedConfigMap(it) === 'foo',
  );
});

test('an edit that gets past the policy becomes a version, is not rolled out, and the config is as before', async () => {
  await using it = await lockedStory({ color: 'blue' });
  const generation = async () => (await it.object<Deployment>(deployments, 'web')).metadata.generation;
  const before = await generation();
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await holds(it, { color: 'blue' });
  expect((await it.copies()).get('1.0.1')?.data).toEqual({ color: 'green' });
  const event = await it.eventuallyEvent(
    'the edit is told',
    'ConfigRollout',
    'configmap-foo',
    ({ reason }) => reason === 'Locked',
  );
  expect(event).toMatchObject({
    type: 'Warning',
    message:
      'The content of ConfigMap foo was not a version although its release mode is Locked. It became version "1.0.1", which is not rolled out: activate it to release it',
  });
  expect((await it.rollout()).status?.current?.version).toBe('1.0.0');
  expect(await generation()).toBe(before);
});

test('an edit that cannot become a version is not overwritten, until its author says how to name it', async () => {
  await using it = await lockedStory({ color: 'blue' });
  await it.annotates(configMaps, 'foo', { [annotations.version]: '1.0.0' });
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await it.rolloutIs(
    'the name is taken',
    ({ conditions }) => conditions?.find(({ type }) => type === 'Degraded')?.reason === 'VersionNameTaken',
  );
  expect(await fooData(it)).toEqual({ color: 'green' });
  await it.annotates(configMaps, 'foo', { [annotations.version]: 'mine' });
  const back = await holds(it, { color: 'blue' });
  expect(back.metadata.annotations?.[annotations.version]).toBe('1.0.0');
  expect((await it.copies()).get('mine')?.data).toEqual({ color: 'green' });
});

test('an update that a policy denies is told, and made when it is allowed', async () => {
  await using it = await lockedStory({ color: 'blue' });
  await adds(it, 'next', { color: 'green' });
  await using denial = await UpdateDenial.impose(engine, configMaps, {
    namespace: it.namespace,
    name: 'foo',
  });
  await asksFor(it, 'next');
  await settled(it, 'next', ['web']);
  const told = await it.rolloutIs(
    'the denial is told',
    ({ conditions }) => conditions?.some(({ type }) => type === 'ConfigOutdated') === true,
  );
  expect(conditionOf(told, 'ConfigOutdated')).toMatchObject({
    status: 'True',
    reason: 'ConfigWriteDenied',
    message: expect.stringMatching(
      /^ConfigMap foo does not hold version next, which is current, because the API server denies the update: .*denied by the test/,
    ),
  });
  expect(await fooData(it)).toEqual({ color: 'blue' });
  await denial.lift();
  await holds(it, { color: 'green' });
  await it.rolloutIs(
    'the condition is gone',
    ({ conditions }) => conditions?.some(({ type }) => type === 'ConfigOutdated') === false,
  );
});

test('a config that is locked and paused holds what is current, and follows when the pause is over', async () => {
  await using it = await lockedStory({ color: 'blue' });
  const paused = (value: boolean) =>
    it.client.patch(
      configRollouts,
      { namespace: it.namespace, name: 'configmap-foo' },
      { type: 'merge', body: { spec: { paused: value } } },
    );
  await paused(true);
  await adds(it, 'next', { color: 'green' });
  await asksFor(it, 'next');
  await it.rolloutIs('it is paused', ({ phase }) => phase === 'Paused');
  // A restarted controller plans everything anew.
  await it.controllerRestarts();
  expect(await fooData(it)).toEqual({ color: 'blue' });
  await paused(false);
  await holds(it, { color: 'green' });
  await settled(it, 'next', ['web']);
});
