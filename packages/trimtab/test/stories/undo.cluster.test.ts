import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, withImage } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountingFoo = mountingConfigMap('foo', '/etc/foo');

test('undo brings the old config back with the old template, and that is left alone until the next edit', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountingFoo, managed));
  const first = await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);

  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  await it.rolloutIs('web is shown as pinned', (status) => lineOf(status, 'web')?.state === 'Pinned');
  // Scaling triggers a reconciliation, which must not change the pinned version.
  await it.when.scaled(deployments, 'web', 2);
  await podsRun(it, 'web', first.status?.current?.object, 2);
  const pinned = await it.rolloutIs(
    'no pod runs what is current',
    (status) => status.updated === '0/2' && lineOf(status, 'web')?.state === 'Pinned',
  );
  expect(pinned.status).toMatchObject({ phase: 'Current', current: { version: '1.0.1' } });
  expect(conditionOf(pinned, 'Ready')).toMatchObject({ status: 'False', reason: 'Pinned' });

  await it.when.edited(configMaps, 'foo', withData({ color: 'yellow' }));
  const third = await settled(it, '1.0.2', ['web']);
  const moved = await it.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(moved)).toBe(third.status?.current?.object);
});

test('undo to a revision from before the opt-in keeps the workload managed, and says so', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountingFoo));
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  // One edit for both: otherwise the Deployment controller copies the annotation to the first ReplicaSet.
  await it.when.edited<Deployment>(deployments, 'web', (web) => {
    managed(web);
    withImage('busybox:2')(web);
  });
  const first = await settled(it, '1.0.0', ['web']);

  await it.when.kubectl('rollout', 'undo', 'deployment/web', '--to-revision=1');
  const told = await it.rolloutIs(
    'the lost opt-in is told',
    (status) => conditionOf({ status }, 'OptInLost')?.status === 'True',
  );
  expect(conditionOf(told, 'OptInLost')?.message).toContain('Deployment web');
  await it.eventually<Deployment>(
    'web has its copy again, and no annotation',
    deployments,
    'web',
    (web) =>
      mountedConfigMap(web) === first.status?.current?.object &&
      web.metadata.annotations?.[annotations.manage] === undefined,
  );

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const second = await settled(it, '1.0.1', ['web']);
  const moved = await it.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(moved)).toBe(second.status?.current?.object);
});

test('undo onto content that was rolled back warns and names the way out', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, ({ color }) =>
    color === 'broken' ? { crashes: 'no such color', exitCode: 3 } : 'works',
  );
  await it.shortBake(['foo']);
  const web = deployment('web', mountingFoo, managed, runningTheApp);
  await it.given.objects(configMap('foo', { color: 'blue' }), web);
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'broken' }));
  await it.rolloutIs('1.0.1 is rolled back', ({ phase }) => phase === 'Failed');
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  const good = await it.object<Deployment>(deployments, 'web');
  const revision = good.metadata.annotations?.['deployment.kubernetes.io/revision'];

  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  const recoveryHint = `kubectl rollout undo deployment/web --to-revision=${revision}`;
  const news = await it.eventuallyEvent('it is told on web', 'Deployment', 'web', ({ message }) =>
    message.includes(recoveryHint),
  );
  expect(news).toMatchObject({ type: 'Warning', message: expect.stringContaining('1.0.1') });
  const degraded = await it.rolloutIs(
    'it is Degraded, with the way out',
    (status) => conditionOf({ status }, 'Degraded')?.message.includes(recoveryHint) ?? false,
  );
  expect(conditionOf(degraded, 'Degraded')?.status).toBe('True');
  expect(degraded.status?.current?.version).toBe('1.0.0');

  await it.when.kubectl(...recoveryHint.split(' ').slice(1));
  await it.rolloutIs('web is as it was', (status) => lineOf(status, 'web')?.state === 'Healthy');
});

test('undo in the middle of an activation takes this workload out of it, and the others go on', async () => {
  await using it = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(it.client, it.namespace, () => 'works');
  await it.shortBake(['foo']);
  const both = ['web', 'api'].map((name) => deployment(name, mountingFoo, managed, runningTheApp));
  await it.given.objects(configMap('foo', { color: 'blue' }), ...both);
  const first = await settled(it, '1.0.0', ['web', 'api']);

  await app.becomes(({ color }) => (color === 'green' ? 'starts' : 'works'));
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await it.rolloutIs(
    'both are on their way',
    ({ phase, updated }) => phase === 'BeingCurrent' && updated === '2/2',
  );
  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  await it.rolloutIs(
    'web has left',
    (status) => lineOf(status, 'web')?.state === 'Left' && status.phase === 'BeingCurrent',
  );
  await app.becomes(() => 'works');
  const after = await settled(it, '1.0.1', ['api']);
  expect(lineOf(after.status, 'web')?.state).toBe('Pinned');
  const [web, api] = await Promise.all(
    both.map(({ metadata }) => it.object<Deployment>(deployments, metadata.name ?? '')),
  );
  expect(web && mountedConfigMap(web)).toBe(first.status?.current?.object);
  expect(api && mountedConfigMap(api)).toBe(after.status?.current?.object);
});
