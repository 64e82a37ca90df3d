import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { mountedConfigMap, ReleaseStory, templateOfPods } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');
/** Removes the annotation. Management is sticky, so the workload stays managed. */
const losesOptIn = async (it: ReleaseStory, workload: string, rollout = 'configmap-foo') => {
  await it.when.kubectl('annotate', `deployment/${workload}`, `${annotations.manage}-`);
  await it.rolloutIs(
    'the lost opt-in is told',
    ({ conditions }) =>
      conditions?.some(({ type, message }) => type === 'OptInLost' && message.includes(workload)) ?? false,
    rollout,
  );
};
const isReleased = (it: ReleaseStory, name: string) =>
  it.eventually<Deployment>(
    `${name} mounts foo itself`,
    deployments,
    name,
    (web) =>
      mountedConfigMap(web) === 'foo' &&
      web.metadata.labels?.[labels.assigned] === undefined &&
      web.metadata.annotations?.[annotations.assignment] === undefined,
  );

test('who deletes the ConfigRollout of what opts in no more opts out: its workloads go back to foo', async () => {
  await using it = await installedStory(engine);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed));
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await losesOptIn(it, 'web');
  const before = await it.object<Deployment>(deployments, 'web');

  await it.when.deleted(configRollouts, 'configmap-foo');
  const web = await isReleased(it, 'web');
  // One rolling update and no other change.
  expect((web.metadata.generation ?? 0) - (before.metadata.generation ?? 0)).toBe(1);
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  expect((await it.object<ConfigMap>(configMaps, 'foo')).data).toEqual({ color: 'green' });
  const news = await it.eventuallyEvent(
    'it is told',
    'Deployment',
    'web',
    ({ reason }) => reason === 'OptedOut',
  );
  expect(news.message).toContain('ConfigMap/foo');

  await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
  await it.when.edited(configMaps, 'warm', withData({ color: 'red' }));
  await it.isCurrent('1.0.1', 'configmap-warm');
  const { items } = await it.client.list<ConfigRollout>(configRollouts, { namespace: it.namespace });
  expect(
    items.map(({ metadata }) => metadata.name),
    'nobody makes it anew',
  ).toEqual(['configmap-warm']);
  expect((await it.object<Deployment>(deployments, 'web')).spec.template).toEqual(web.spec.template);
});

test('what still opts in is managed anew at once and does not restart; what does not, goes', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed),
    deployment('api', mountsFoo, managed),
  );
  await settled(it, '1.0.0', ['web', 'api']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const before = await settled(it, '1.0.1', ['web', 'api']);
  await losesOptIn(it, 'web');
  const api = await it.object<Deployment>(deployments, 'api');

  await it.when.deleted(configRollouts, 'configmap-foo');
  await isReleased(it, 'web');
  const after = await settled(it, '1.0.1', ['api']);
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
  expect(after.status?.workloads?.map(({ name }) => name)).toEqual(['api']);
  expect((await it.object<Deployment>(deployments, 'api')).spec.template).toEqual(api.spec.template);
});

test('one of two configs goes: the other one stays managed, and is released as before', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo', 'secret/key'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    secret('key', { token: 'a' }),
    deployment('web', mountsFoo, envFromSecret('key'), managed),
  );
  await settled(it, '1.0.0', ['web']);
  const { status } = await settled(it, '1.0.0', ['web'], 'secret-key');
  await losesOptIn(it, 'web');
  await losesOptIn(it, 'web', 'secret-key');

  await it.when.deleted(configRollouts, 'configmap-foo');
  const web = await it.eventually<Deployment>(
    'web mounts foo itself',
    deployments,
    'web',
    (now) => mountedConfigMap(now) === 'foo',
  );
  expect(templateOfPods(web).spec.containers[0]?.envFrom).toEqual([
    { secretRef: { name: status?.current?.object } },
  ]);
  await it.when.kubectl('patch', 'secret/key', '--type=merge', '--patch={"stringData":{"token":"b"}}');
  await settled(it, '1.0.1', ['web'], 'secret-key');
  expect(mountedConfigMap(await it.object<Deployment>(deployments, 'web'))).toBe('foo');
});

test('deleted while the controller is down, or while foo is not fit to go back to, it is done later', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo'), deployment('web', mountsFoo, managed, runningTheApp));
  const { status } = await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ pods: 'crash-loop' }));
  await it.rolloutIs('1.0.1 is rolled back', ({ phase, target }) => phase === 'Failed' && !target);
  await losesOptIn(it, 'web');

  await it.controller.stop();
  await it.when.deleted(configRollouts, 'configmap-foo');
  await it.eventuallyGone(configRollouts, 'configmap-foo');
  await it.controllerRestarts();
  const waits = (what: RegExp) =>
    it.eventuallyEvent(
      'it waits',
      'Deployment',
      'web',
      ({ reason, message }) => reason === 'OptOutWaits' && what.test(message),
    );
  await waits(/Opting out waits: ConfigMap foo holds version 1\.0\.1, which was rolled back; edit it/);
  await it.when.deleted(configMaps, 'foo');
  await waits(/Opting out waits: ConfigMap foo does not exist; create it/);
  expect(mountedConfigMap(await it.object<Deployment>(deployments, 'web'))).toBe(status?.current?.object);

  await it.given.objects(configMap('foo', { color: 'green' }));
  await isReleased(it, 'web');
});
