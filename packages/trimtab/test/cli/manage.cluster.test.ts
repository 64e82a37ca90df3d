import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { ownedBy } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');

/** Runs a command in the namespace of the story. */
const trimtabIn =
  ({ namespace }: { namespace: string }) =>
  (...args: string[]) =>
    runTrimtab(engine, args, { namespace });

const manageOf = async (it: ReleaseStory, name = 'web') =>
  (await it.object<Deployment>(deployments, name)).metadata.annotations?.[annotations.manage];

const mountsFooItself = (it: ReleaseStory, name = 'web') =>
  it.eventually<Deployment>(
    `${name} mounts foo itself`,
    deployments,
    name,
    (now) => mountedConfigMap(now) === 'foo' && now.metadata.labels?.[labels.assigned] === undefined,
  );

test('manage opts a Deployment in, after it has shown what will happen', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = trimtabIn(it);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    secret('key', { password: 'pa55' }),
    deployment('web', mountsFoo, envFromSecret('key'), withReplicas(2)),
  );
  const planned = await trimtab('manage', 'deployment/web', '--dry-run');
  expect(planned.stdout).toBe(`Deployment web will be managed:
  configmap/foo   its content becomes version 1.0.0
  secret/key      its content becomes version 1.0.0
One rolling update replaces 2 pods.
deployment "web" managed (server dry run)
`);
  expect(planned.stderr).toBe(
    'Warning: The pod template has no readiness probe in container app: a faulty version is detected only if it crashes\n',
  );
  expect(await manageOf(it)).toBeUndefined();

  expect(await trimtab('manage', 'deployment/web')).toMatchObject({
    stdout: 'deployment "web" managed\n',
    code: 0,
  });
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-key');
  expect((await trimtab('manage', 'deploy/web')).stdout).toBe('deployment "web" already managed\n');
});

test('configs are managed by name, one after the other, and leave in the same way', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = trimtabIn(it);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    secret('key', { password: 'pa55' }),
    deployment('web', mountsFoo, envFromSecret('key')),
  );
  await trimtab('manage', 'deployment/web', 'foo');
  expect(await manageOf(it)).toBe('foo');
  await trimtab('manage', 'deployment/web', 'secret/key', 'cm/foo');
  expect(await manageOf(it)).toBe('foo,secret/key');
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-key');

  const refused = await trimtab('manage', 'deployment/web', 'bar');
  expect(refused).toMatchObject({
    code: 1,
    stderr:
      'error: the pod template of deployment/web does not reference configmap/bar\n' +
      'hint: mount it with `trimtab set volume deployment/web -t configmap --configmapname bar`\n',
  });

  const left = await trimtab('unmanage', 'deployment/web', 'foo');
  expect(left.stdout).toBe('deployment "web" unmanaged; it still manages secret/key\n');
  const web = await it.eventually<Deployment>(
    'web mounts foo itself',
    deployments,
    'web',
    (now) => mountedConfigMap(now) === 'foo',
  );
  expect(web.metadata.annotations?.[annotations.manage]).toBe('secret/key');
  // The controller removes the workload from the ConfigRollout after the references.
  await it.eventually<ConfigRollout>(
    'foo is not managed for web',
    configRollouts,
    'configmap-foo',
    ({ metadata }) => metadata.annotations?.[annotations.workloads] === '[]',
  );
  expect((await trimtab('unmanage', 'deployment/web', 'foo')).stderr).toBe(
    'error: configmap/foo is not managed for deployment/web\n',
  );
});

test('the release mode of a config is an annotation before it is managed, and the spec of its ConfigRollout afterwards', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = trimtabIn(it);
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountsFoo));
  const first = await trimtab('manage', 'deployment/web', 'foo', '--release', 'manual');
  expect(first.stdout).toBe('configmap "foo" set to release mode manual\ndeployment "web" managed\n');
  const foo = await it.object<ConfigMap>(configMaps, 'foo');
  expect(foo.metadata.annotations?.[annotations.release]).toBe('manual');
  const { spec } = await settled(it, '1.0.0', ['web']);
  expect(spec.release).toBe('Manual');

  const dry = await trimtab('manage', 'configmap/foo', '--release', 'auto', '--dry-run');
  expect(dry.stdout).toBe('configmap "foo" set to release mode auto (server dry run)\n');
  expect((await it.rollout()).spec.release).toBe('Manual');
  const second = await trimtab('manage', 'configmap/foo', '--release', 'auto');
  expect(second.stdout).toBe('configmap "foo" set to release mode auto\n');
  expect((await it.rollout()).spec.release).toBe('Auto');

  for (const [args, problem] of [
    [['configmap/foo'], 'configmap/foo is a config: name the workload first'],
    [['deployment/web', '--release', 'auto'], '--release needs the names of configs'],
    [['deployment/web', '--release', 'sometimes'], 'must be one of auto, manual, locked'],
  ] as const) {
    const { code, stderr } = await trimtab('manage', ...args);
    expect(stderr).toContain(problem);
    expect(code).toBe(2);
  }
});

test('unmanage puts a Deployment back to its configs in one rolling update', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = trimtabIn(it);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, withReplicas(2)));
  await trimtab('manage', 'deployment/web');
  await settled(it, '1.0.0', ['web']);

  const planned = await trimtab('unmanage', 'deployment/web', '--dry-run');
  expect(planned.stdout).toBe(
    'Deployment web references configmap/foo (version 1.0.0) itself again; one rolling update replaces 2 pods.\n' +
      'deployment "web" unmanaged (server dry run)\n',
  );
  const done = await trimtab('unmanage', 'deployment/web');
  expect(done).toMatchObject({ stdout: 'deployment "web" unmanaged\n', stderr: '', code: 0 });
  await mountsFooItself(it);
  expect(await manageOf(it)).toBe('false');
  expect((await trimtab('unmanage', 'deployment/web')).stdout).toBe('deployment "web" already unmanaged\n');
});

test('while foo holds rejected content, an opt-out is recorded and waits, and foo itself cannot be unmanaged', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  const trimtab = trimtabIn(it);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo'), deployment('web', mountsFoo, runningTheApp));
  await trimtab('manage', 'deployment/web');
  const { status } = await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ pods: 'crash-loop' }));
  await it.rolloutIs('1.0.1 is rolled back', ({ phase, target }) => phase === 'Failed' && !target);

  const refused = await trimtab('unmanage', 'configmap/foo');
  expect(refused.stderr).toContain(
    'error: configmap/foo cannot be unmanaged now: ConfigMap foo holds version 1.0.1, which was rolled back; edit it\n',
  );
  expect(refused.code).toBe(1);
  const waits = await trimtab('unmanage', 'deployment/web');
  expect(waits).toMatchObject({
    stdout: 'deployment "web" unmanaged\n',
    stderr: 'Warning: Opting out waits: ConfigMap foo holds version 1.0.1, which was rolled back; edit it\n',
  });
  await it.eventuallyEvent('the wait is told', 'Deployment', 'web', ({ reason }) => reason === 'OptOutWaits');
  expect(mountedConfigMap(await it.object<Deployment>(deployments, 'web'))).toBe(status?.current?.object);

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await mountsFooItself(it);
});

test('unmanage of a config ends its management for all workloads; their other configs stay managed', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = trimtabIn(it);
  await it.shortBake(['foo', 'secret/key'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    secret('key', { password: 'pa55' }),
    deployment('web', mountsFoo, envFromSecret('key')),
    deployment('api', mountsFoo),
  );
  await trimtab('manage', 'deployment/web');
  await trimtab('manage', 'deployment/api', 'foo');
  await settled(it, '1.0.0', ['web', 'api']);
  await settled(it, '1.0.0', ['web'], 'secret-key');

  const planned = await trimtab('unmanage', 'configmap/foo', '--dry-run');
  expect(planned.stdout).toBe(`ConfigMap foo will no longer be managed:
  Deployment api references configmap/foo (version 1.0.0) itself again; one rolling update replaces 1 pod.
  Deployment web references configmap/foo (version 1.0.0) itself again; one rolling update replaces 1 pod.
  Its ConfigRollout and 1 version are deleted; a version that a ReplicaSet still references is deleted with it.
deployment "api" unmanaged (server dry run)
deployment "web" unmanaged (server dry run); it still manages secret/key
configmap "foo" unmanaged (server dry run)
`);
  const done = await trimtab('unmanage', 'foo');
  expect(done).toMatchObject({
    stdout:
      'deployment "api" unmanaged\ndeployment "web" unmanaged; it still manages secret/key\nconfigmap "foo" unmanaged\n',
    code: 0,
  });
  await mountsFooItself(it, 'api');
  await it.eventually<Deployment>(
    'web mounts foo',
    deployments,
    'web',
    (now) => mountedConfigMap(now) === 'foo',
  );
  await it.eventuallyGone(configRollouts, 'configmap-foo');
  expect(await manageOf(it)).toBe('secret/key');
  expect(await manageOf(it, 'api')).toBe('false');
  await settled(it, '1.0.0', ['web'], 'secret-key');

  const again = await trimtab('unmanage', 'foo');
  expect(again).toMatchObject({
    code: 1,
    stderr: `error: configmap "foo" is not managed by Trimtab
hint: manage it for the workloads that use it with \`trimtab manage\`, or for one workload with \`trimtab set owner configmap/foo deployment/NAME\`
`,
  });
});

test('a config that its owner manages is released by the owner reference first', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = trimtabIn(it);
  await it.given.object(secret('key', { password: 'pa55' }));
  const [web] = await it.given.objects(deployment('web', mountsFoo, envFromSecret('key')));
  await it.given.objects(
    configMap('foo', { color: 'blue' }, ownedBy({ ...web, kind: 'Deployment', apiVersion: 'apps/v1' })),
  );
  await trimtab('manage', 'deployment/web');
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-key');
  const refused = await trimtab('unmanage', 'foo');
  expect(refused).toMatchObject({
    code: 1,
    stderr:
      'error: configmap/foo is managed for deployment/web, because an ownerReference names this workload\n' +
      'hint: remove it with `trimtab set owner configmap/foo deployment/web --remove`\n',
  });
});
