import { configMaps, deployments, statefulSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, type Templated } from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { formatAssignedVersions } from '../../src/core/references/assigned-versions.ts';
import { installedStory } from '../support/installed-story.ts';
import { inWave, managed } from '../support/managed.ts';
import { mountedBy, podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isParked, isRolledBack } from '../support/outcomes.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountingFoo = mountingConfigMap('foo', '/etc/foo');
const workload = (name: string) => deployment(name, mountingFoo, managed, runningTheApp);
const edit = (it: ReleaseStory, data: Record<string, string>) =>
  it.when.edited(configMaps, 'foo', withData(data));

/** Pins a workload to this version object of foo. */
const pin = (it: ReleaseStory, name: string, object: string | undefined, resource = deployments) =>
  it.annotates(resource, name, {
    [annotations.pin]: formatAssignedVersions(new Map([['ConfigMap/foo', object ?? '']])),
  });
const unpin = (it: ReleaseStory, name: string, resource = deployments) =>
  it.annotates(resource, name, { [annotations.pin]: null });

const isPinned = (it: ReleaseStory, name: string) =>
  it.rolloutIs(`${name} is shown as pinned`, (status) => lineOf(status, name)?.state === 'Pinned');

test('a pinned workload keeps its version while others get the next one, and gets the current one when it is unpinned', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  const db = statefulSet('db', mountingFoo, managed, runningTheApp);
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'), workload('api'), db);
  const blue = (await settled(it, '1.0.0', ['web', 'api', 'db'])).status?.current?.object;
  await pin(it, 'web', blue);
  await pin(it, 'db', blue, statefulSets);
  const pinned = await isPinned(it, 'web');
  expect(conditionOf(pinned, 'Ready')?.status, 'it runs what is current').toBe('True');
  await isPinned(it, 'db');

  await edit(it, { color: 'green' });
  const after = await settled(it, '1.0.1', ['api']);
  expect(lineOf(after.status, 'web')).toMatchObject({
    state: 'Pinned',
    message: expect.stringMatching(/annotation trimtab\.dev\/pin.*trimtab unpin deployment\/web/),
  });
  expect(conditionOf(after, 'Ready')).toMatchObject({ status: 'False', reason: 'Pinned' });
  await podsRun(it, 'web', blue);
  expect(await mountedBy(it, 'db', statefulSets)).toBe(blue);

  await unpin(it, 'web');
  await unpin(it, 'db', statefulSets);
  const green = (await settled(it, '1.0.1', ['web', 'api', 'db'])).status?.current?.object;
  for (const name of ['web', 'db']) await podsRun(it, name, green);
});

test('pinned in the middle of a release, a workload leaves it and is not rolled back', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo'], { bakeSeconds: 3600 });
  const late = deployment('late', mountingFoo, managed, runningTheApp, inWave(1));
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'), workload('api'), late);
  const blue = (await settled(it, '1.0.0', ['web', 'api', 'late'])).status?.current?.object;
  await edit(it, { late: 'crash-loop' });
  const baking = await it.rolloutIs('1.0.1 bakes', (status) =>
    ['web', 'api'].every((name) => status.target && lineOf(status, name)?.state === 'Healthy'),
  );
  const target = baking.status?.target?.object;
  await pin(it, 'web', target);
  await isPinned(it, 'web');
  await it.strategyIs({ bakeSeconds: 0 });
  await isRolledBack(it, '1.0.1');
  await podsRun(it, 'api', blue);
  await podsRun(it, 'web', target);

  await unpin(it, 'web');
  await podsRun(it, 'web', blue);
});

test('a release that only a pinned workload could judge is parked, and goes on when it is unpinned', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'));
  const blue = (await settled(it, '1.0.0', ['web'])).status?.current?.object;
  await pin(it, 'web', blue);
  await isPinned(it, 'web');
  await edit(it, { color: 'green' });
  const parked = await isParked(it, '1.0.1', 'Pinned');
  expect(conditionOf(parked, 'Ready')?.message).toContain('trimtab unpin deployment/web');
  await podsRun(it, 'web', blue);

  await unpin(it, 'web');
  const green = (await settled(it, '1.0.1', ['web'])).status?.current?.object;
  await podsRun(it, 'web', green);
});

test.each([
  ['by the controller', () => ReleaseStory.start(engine)],
  ['by the webhook', () => installedStory(engine)],
])('a manifest that names the config and is applied again gets the pinned version, %s', async (_, start) => {
  await using it = await start();
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'), workload('api'));
  const blue = (await settled(it, '1.0.0', ['web', 'api'])).status?.current?.object;
  await pin(it, 'web', blue);
  await edit(it, { color: 'green' });
  await settled(it, '1.0.1', ['api']);

  await it.when.edited<Deployment>(deployments, 'web', (web) => {
    for (const volume of web.spec.template.spec.volumes ?? [])
      if (volume.configMap !== undefined) volume.configMap.name = 'foo';
    web.spec.template.metadata = { ...web.spec.template.metadata, annotations: { applied: 'again' } };
  });
  await it.eventually<KubeObject & Templated>(
    'web names the pinned version',
    deployments,
    'web',
    ({ spec, metadata }) =>
      mountedConfigMap({ spec }) === blue &&
      spec.template.metadata?.annotations?.['applied'] === 'again' &&
      metadata.annotations?.[annotations.pin] !== undefined,
  );
  await podsRun(it, 'web', blue);
});

test('a pin that is not valid keeps what the workload has, and says so', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'), workload('api'));
  const blue = (await settled(it, '1.0.0', ['web', 'api'])).status?.current?.object;
  await it.annotates(deployments, 'web', { [annotations.pin]: 'true' });
  const told = await it.rolloutIs(
    'the value is told',
    (status) => conditionOf({ status }, 'PinInvalid')?.status === 'True',
  );
  expect(conditionOf(told, 'PinInvalid')?.message).toMatch(/Deployment web.*"true".*not valid/);
  await it.eventuallyEvent(
    'it is told on web',
    'Deployment',
    'web',
    ({ reason, message }) => reason === 'InvalidAnnotation' && message.includes(annotations.pin),
  );
  await edit(it, { color: 'green' });
  await settled(it, '1.0.1', ['api']);
  await podsRun(it, 'web', blue);

  await pin(it, 'web', 'foo-nowhere');
  await it.rolloutIs(
    'the object is told',
    (status) => conditionOf({ status }, 'PinInvalid')?.message.includes('foo-nowhere') ?? false,
  );
  expect(await mountedBy(it, 'web')).toBe(blue);
});

test('a version that only a pin names is kept, and assigned', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), workload('web'), workload('api'));
  const blue = (await settled(it, '1.0.0', ['web', 'api'])).status?.current?.object;
  await edit(it, { color: 'green' });
  await settled(it, '1.0.1', ['web', 'api']);
  await pin(it, 'web', blue);
  await podsRun(it, 'web', blue);
  expect(lineOf((await isPinned(it, 'web')).status, 'api')?.state).toBe('Healthy');
});
