import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  envFromSecret,
  mountingConfigMap,
  mountingSecret,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { mountedBy, podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { mountedConfigMap, ReleaseStory, templateOfPods } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');
const edit = (it: ReleaseStory, data: Record<string, string>) =>
  it.when.edited(configMaps, 'foo', withData(data));
const serviceAccountToken = () =>
  secret('token', {}, (token: Secret) => {
    token.type = 'kubernetes.io/service-account-token';
    delete token.data;
    annotated({ 'kubernetes.io/service-account.name': 'default' })(token);
  });
/** The environment may come from a ConfigMap that need not exist. */
const optionally = (name: string) => (workload: Deployment) => {
  for (const container of workload.spec.template.spec.containers)
    container.envFrom = [...(container.envFrom ?? []), { configMapRef: { name, optional: true } }];
};

/** Waits until the rollout names the reference that stays as it was written. */
const isTold = (it: ReleaseStory, name: string) =>
  it.rolloutIs(`${name} is told to be unmanaged`, (status) => {
    const told = conditionOf({ status }, 'UnmanagedReferences');
    return told?.status === 'True' && told.reason === 'ReferencesNotManaged' && told.message.includes(name);
  });
const isToldNoMore = (it: ReleaseStory) =>
  it.rolloutIs(
    'all references are managed',
    (status) => conditionOf({ status }, 'UnmanagedReferences')?.status !== 'True',
  );

/** A good edit becomes current with its pods on it, and a bad one is rolled back. */
async function editsAreReleasedAndRolledBack(it: ReleaseStory): Promise<void> {
  await edit(it, { color: 'green' });
  const { status: good } = await settled(it, '1.0.1', ['web']);
  await podsRun(it, 'web', good?.current?.object);
  await edit(it, { pods: 'crash-loop' });
  const failed = await isRolledBack(it, '1.0.2');
  expect(failed.status?.current).toEqual(good?.current);
  await podsRun(it, 'web', good?.current?.object);
}

describe.each([
  ['with the controller alone', (flags: string[]) => ReleaseStory.start(engine, { flags })],
  ['with the webhook', (flags: string[]) => installedStory(engine, flags)],
])('%s', (_, start) => {
  test('a service account token in the template holds no release up', async () => {
    await using it = await start([]);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await it.shortBake(['foo']);
    await it.given.objects(
      serviceAccountToken(),
      configMap('foo', { color: 'blue' }),
      deployment('web', mountsFoo, mountingSecret('token', '/etc/token'), managed, runningTheApp),
    );
    const { status } = await settled(it, '1.0.0', ['web']);
    await podsRun(it, 'web', status?.current?.object);
    const told = await isTold(it, 'token');
    expect(conditionOf(told, 'Ready')?.status).toBe('True');
    await editsAreReleasedAndRolledBack(it);
    const web = await it.object<Deployment>(deployments, 'web');
    expect(web.spec.template.spec.volumes?.[1]?.secret?.secretName).toBe('token');
  });

  test('a config that cannot have a version holds no release up, and joins when it is mended', async () => {
    await using it = await start([]);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await it.shortBake(['foo']);
    await it.given.objects(
      configMap('bar', { size: 'M' }, annotated({ [annotations.version]: 'current' })),
      configMap('foo', { color: 'blue' }),
      deployment('web', mountsFoo, envFromConfigMap('bar'), managed, runningTheApp),
    );
    await settled(it, '1.0.0', ['web']);
    await isTold(it, 'bar');
    await editsAreReleasedAndRolledBack(it);

    await it.when.kubectl('annotate', 'configmap/bar', `${annotations.version}-`);
    const bar = await settled(it, '1.0.0', ['web'], 'configmap-bar');
    await isToldNoMore(it);
    const web = await it.object<Deployment>(deployments, 'web');
    expect(templateOfPods(web).spec.containers[0]?.envFrom).toEqual([
      { configMapRef: { name: bar.status?.current?.object } },
    ]);
  });

  test('an optional reference to a missing config is no pin, and applying again while a version bakes changes nothing', async () => {
    await using it = await start([]);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await it.shortBake(['foo']);
    const web = () => deployment('web', mountsFoo, optionally('overrides'), managed, runningTheApp);
    await it.when.applied(configMap('foo', { color: 'blue' }));
    await it.isCurrent('1.0.0');
    await it.when.applied(web());
    await settled(it, '1.0.0', ['web']);
    await isTold(it, 'overrides');
    const { metadata } = await it.object<Deployment>(deployments, 'web');
    expect(metadata.labels?.[labels.assigned]).toBeDefined();

    await it.strategyIs({ bakeSeconds: 600 });
    await edit(it, { color: 'green' });
    const { status } = await it.rolloutIs(
      '1.0.1 bakes',
      (now) => now.target?.version === '1.0.1' && lineOf(now, 'web')?.state === 'Healthy',
    );
    await it.when.applied(web());
    await it.eventually<Deployment>(
      'web names 1.0.1 again',
      deployments,
      'web',
      (now) => mountedConfigMap(now) === status?.target?.object,
    );
    await it.strategyIs({ bakeSeconds: 1 });
    await settled(it, '1.0.1', ['web']);
    await podsRun(it, 'web', status?.target?.object);

    await edit(it, { pods: 'crash-loop' });
    await isRolledBack(it, '1.0.2');
    await podsRun(it, 'web', status?.target?.object);
  });

  test('a missing config that is created later joins the others', async () => {
    await using it = await start([]);
    await it.shortBake(['foo']);
    await it.given.objects(
      configMap('foo', { color: 'blue' }),
      deployment('web', mountsFoo, optionally('overrides'), managed),
    );
    await settled(it, '1.0.0', ['web']);
    await isTold(it, 'overrides');
    await it.given.objects(configMap('overrides', { color: 'green' }));
    const overrides = await settled(it, '1.0.0', ['web'], 'configmap-overrides');
    await isToldNoMore(it);
    const web = await it.object<Deployment>(deployments, 'web');
    expect(templateOfPods(web).spec.containers[0]?.envFrom).toEqual([
      { configMapRef: { name: overrides.status?.current?.object, optional: true } },
    ]);
  });

  test('with --no-secrets, a Secret in the template is neither managed nor in the way', async () => {
    await using it = await start(['--no-secrets']);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await it.shortBake(['foo']);
    await it.given.objects(
      secret('key', { password: 'pa55' }),
      configMap('foo', { color: 'blue' }),
      deployment('web', mountsFoo, envFromSecret('key'), managed, runningTheApp),
    );
    await settled(it, '1.0.0', ['web']);
    await isTold(it, 'key');
    await editsAreReleasedAndRolledBack(it);
    const web = await it.object<Deployment>(deployments, 'web');
    expect(web.spec.template.spec.containers[0]?.envFrom).toEqual([{ secretRef: { name: 'key' } }]);
    expect(await mountedBy(it, 'web')).toBe((await it.rollout()).status?.current?.object);
  });
});
