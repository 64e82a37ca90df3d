import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { replicaSets } from '@trimtab/test-bed/objects/resources.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');
const optOut = (release: ReleaseStory, workload: string) =>
  release.when.kubectl('annotate', `deployment/${workload}`, `${annotations.manage}=false`, '--overwrite');
const edit = (release: ReleaseStory, data: Record<string, string>) =>
  release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
    foo.data = data;
  });
const isReleased = (release: ReleaseStory, name: string) =>
  release.eventually<Deployment>(
    `${name} mounts foo itself`,
    deployments,
    name,
    (it) => mountedConfigMap(it) === 'foo' && it.metadata.labels?.[labels.assigned] === undefined,
  );

test('a workload that opts out goes back to foo in one rolling update, and the others stay managed', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed),
    deployment('api', mountsFoo, managed),
  );
  await settled(release, '1.0.0', ['web', 'api']);
  const selector = { namespace: release.namespace, labelSelector: 'app=web' };
  const before = (await release.client.list(replicaSets, selector)).items.length;

  await optOut(release, 'web');
  const web = await isReleased(release, 'web');
  expect(web.metadata.annotations?.[annotations.assignment]).toBeUndefined();
  await release.rolloutIs(
    'only api is left',
    ({ workloads }) => workloads?.map(({ name }) => name).join() === 'api',
  );
  // The template is the same as before the opt-in, so there is no new ReplicaSet.
  expect((await release.client.list(replicaSets, selector)).items).toHaveLength(before);

  await edit(release, { color: 'green' });
  await settled(release, '1.0.1', ['api']);
  expect(mountedConfigMap(await release.object<Deployment>(deployments, 'web'))).toBe('foo');

  await release.when.kubectl('annotate', 'deployment/web', `${annotations.manage}=true`, '--overwrite');
  await settled(release, '1.0.1', ['api', 'web']);
});

test('while foo holds rejected content, an opt-out waits for a person', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo'), deployment('web', mountsFoo, managed, runningTheApp));
  const { status: before } = await settled(release, '1.0.0', ['web']);
  await edit(release, { pods: 'crash-loop' });
  await release.rolloutIs(
    '1.0.1 is rolled back',
    ({ phase, target }) => phase === 'Failed' && target === undefined,
  );

  await optOut(release, 'web');
  const news = await release.eventuallyEvent(
    'it waits',
    'Deployment',
    'web',
    ({ reason }) => reason === 'OptOutWaits',
  );
  expect(news.message).toMatch(/1\.0\.1.*rolled back; edit/);
  expect(mountedConfigMap(await release.object<Deployment>(deployments, 'web'))).toBe(
    before?.current?.object,
  );

  await edit(release, { color: 'green' });
  await isReleased(release, 'web');
});

test('while foo holds content on its way, an opt-out waits for the verdict', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { bakeSeconds: 3 });
  await release.given.objects(configMap('foo'), deployment('web', mountsFoo, managed, runningTheApp));
  const { status: first } = await settled(release, '1.0.0', ['web']);
  const isOnItsWay = (version: string) =>
    release.rolloutIs(`${version} is on its way`, ({ target }) => target?.version === version);
  const waits = (what: RegExp) =>
    release.eventuallyEvent(
      'it waits',
      'Deployment',
      'web',
      ({ reason, message }) => reason === 'OptOutWaits' && what.test(message),
    );

  await edit(release, { pods: 'unready' });
  await isOnItsWay('1.0.1');
  await optOut(release, 'web');
  await waits(/1\.0\.1.*being rolled out/);
  await edit(release, { pods: 'crash-loop' });
  await release.rolloutIs(
    '1.0.2 is rolled back, although web has opted out',
    ({ phase, target }) => phase === 'Failed' && target === undefined,
  );
  await waits(/1\.0\.2.*rolled back; edit/);
  await release.rolloutIs('the rollout says so, too', (it) =>
    /Deployment web: .*1\.0\.2/.test(conditionOf({ status: it }, 'OptOutWaits')?.message ?? ''),
  );
  expect(mountedConfigMap(await release.object<Deployment>(deployments, 'web'))).toBe(first?.current?.object);

  await edit(release, { color: 'green' });
  await isOnItsWay('1.0.3');
  await isReleased(release, 'web');
  const { status } = await release.object<ConfigRollout>(configRollouts, 'configmap-foo');
  expect(status?.history?.[0]).toMatchObject({ version: '1.0.3', result: 'Current' });
});

test('nothing restarts because of the install, not even what was made for Reloader', async () => {
  const forReloader = annotated({ 'reloader.stakater.com/auto': 'true' });
  await using release = await ReleaseStory.start(engine);
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, forReloader),
    configMap('bar'),
    deployment('managed', mountingConfigMap('bar', '/etc/bar'), managed),
  );
  await settled(release, '1.0.0', ['managed'], 'configmap-bar');
  const web = await release.object<Deployment>(deployments, 'web');
  const audit = engine.auditLog();
  const mark = await audit.mark();
  await release.controllerRestarts();
  await edit(release, { color: 'green' });
  await release.when.edited<ConfigMap>(configMaps, 'bar', (bar) => {
    bar.data = { color: 'green' };
  });
  await release.rolloutIs('bar is released', ({ target }) => target?.version === '1.0.1', 'configmap-bar');
  const writes = (await audit.since(mark)).filter(
    ({ userAgent, verb, namespace, resource }) =>
      userAgent.startsWith('trimtab-controller') &&
      namespace === release.namespace &&
      !['get', 'list', 'watch'].includes(verb) &&
      resource !== 'leases',
  );
  expect(writes.length, 'it was not idle').toBeGreaterThan(0);
  expect(writes.filter(({ name }) => name === 'foo' || name === 'web' || name === 'configmap-foo')).toEqual(
    [],
  );
  const after = await release.object<Deployment>(deployments, 'web');
  expect(after.spec.template).toEqual(web.spec.template);
});

test('with --reloader-annotations, manifests that were made for Reloader work unchanged', async () => {
  await using release = await ReleaseStory.start(engine, { flags: ['--reloader-annotations'] });
  await release.shortBake(['foo', 'matched', 'secret/key']);
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    configMap('ignored', {}, annotated({ 'reloader.stakater.com/ignore': 'true' })),
    configMap('matched', {}, annotated({ 'reloader.stakater.com/match': 'true' })),
    secret('key', { token: 'a' }),
    deployment(
      'auto',
      mountsFoo,
      mountingConfigMap('ignored', '/etc/ignored'),
      annotated({ 'reloader.stakater.com/auto': 'true' }),
    ),
    deployment(
      'named',
      mountsFoo,
      envFromSecret('key'),
      annotated({ 'secret.reloader.stakater.com/reload': 'key' }),
    ),
    deployment(
      'search',
      mountsFoo,
      mountingConfigMap('matched', '/etc/matched'),
      annotated({ 'reloader.stakater.com/search': 'true' }),
    ),
    deployment('plain', mountsFoo),
  );
  await settled(release, '1.0.0', ['auto']);
  await settled(release, '1.0.0', ['named'], 'secret-key');
  await settled(release, '1.0.0', ['search'], 'configmap-matched');
  const before = await release.client.list(pods, {
    namespace: release.namespace,
    labelSelector: 'app=plain',
  });

  await edit(release, { color: 'green' });
  const { status } = await settled(release, '1.0.1', ['auto']);
  expect(status?.workloads?.map(({ name }) => name)).toEqual(['auto']);
  for (const name of ['named', 'search', 'plain'])
    expect(mountedConfigMap(await release.object<Deployment>(deployments, name))).toBe('foo');
  const rollouts = await release.client.list(configRollouts, { namespace: release.namespace });
  expect(rollouts.items.map(({ metadata }) => metadata.name).sort()).toEqual([
    'configmap-foo',
    'configmap-matched',
    'secret-key',
  ]);
  const after = await release.client.list(pods, { namespace: release.namespace, labelSelector: 'app=plain' });
  expect(after.items.map(({ metadata }) => metadata.uid)).toEqual(
    before.items.map(({ metadata }) => metadata.uid),
  );
});
