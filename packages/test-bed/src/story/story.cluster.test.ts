import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { currentEngine } from '../engines/engine.ts';
import { annotated, ownedBy } from '../objects/build.ts';
import { type ConfigMap, configMap } from '../objects/config-map.ts';
import { daemonSet } from '../objects/daemon-set.ts';
import { type Deployment, deployment, withReplicas } from '../objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '../objects/pod-template.ts';
import { replicaSets } from '../objects/resources.ts';
import { role, roleBinding, serviceAccount } from '../objects/rights.ts';
import { secret } from '../objects/secret.ts';
import { statefulSet } from '../objects/stateful-set.ts';
import { behaving } from '../simulated-pods/behaviour.ts';
import { waitFor } from '../watching/wait-for.ts';
import { story } from './story.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

describe('given, when, then', () => {
  test('every builder makes what the server takes', async () => {
    const [given] = await story(engine);
    const created = await given.objects(
      configMap('foo', { color: 'blue' }),
      secret('key', { password: 'pa55' }),
      deployment('web', mountingConfigMap('foo', '/etc/foo'), envFromSecret('key')),
      statefulSet('db', withReplicas(2)),
      daemonSet('logs', mountingConfigMap('foo', '/etc/foo')),
      serviceAccount('bot'),
      role('editor', ['get', 'update'], 'configmaps', 'deployments.apps'),
      roleBinding('editor', { serviceAccount: 'bot' }),
    );
    expect(created.map(({ metadata }) => metadata.namespace)).toEqual(created.map(() => given.namespace));
    const [, , web] = created;
    await given.object(configMap('owned', {}, ownedBy(web)));
  });

  test('an edit is seen, and so is a state that lasts a moment only', async () => {
    const [given, when, then] = await story(engine);
    await given.objects(configMap('foo', { color: 'blue' }));
    const colorIs = (color: string) => (foo: ConfigMap) => foo.data?.['color'] === color;
    const edit = (color: string) =>
      when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
        foo.data = { color };
      });
    const looking = Promise.withResolvers<void>();
    const red = then.eventually<ConfigMap>('foo was red', configMaps, 'foo', (foo) => {
      looking.resolve();
      return colorIs('red')(foo);
    });
    await looking.promise;
    await edit('red');
    await edit('green');
    await Promise.all([red, then.eventually('foo is green', configMaps, 'foo', colorIs('green'))]);
  });

  test('apply, scale, kubectl and delete do what a user does', async () => {
    const [given, when, then] = await story(engine);
    await when.applied(configMap('foo', { a: '1' }), deployment('web', mountingConfigMap('foo', '/etc/foo')));
    await when.applied(configMap('foo', { a: '2' }, annotated({ note: 'again' })));
    await then.eventually<ConfigMap>('foo says 2', configMaps, 'foo', (foo) => foo.data?.['a'] === '2');

    await when.scaled(deployments, 'web', 3);
    await then.eventuallyAll('one ReplicaSet', replicaSets, (sets) => sets.length === 1);
    await then.eventually<Deployment>(
      'web has three pods',
      deployments,
      'web',
      (web) => web.status?.replicas === 3,
    );
    expect(await when.kubectl('get', 'deployment', 'web', '--output', 'jsonpath={.spec.replicas}')).toBe('3');
    await expect(when.kubectl('get', 'nonsense')).rejects.toThrow(/exited with code 1.*nonsense/s);

    await when.deleted(configMaps, 'foo');
    await then.eventuallyGone(configMaps, 'foo');
    expect(given.namespace).toMatch(/^test-/);
  });

  test('a wait that runs out tells the whole story', async () => {
    const [given, when, then] = await story(engine);
    await given.objects(deployment('web', withReplicas(0)));
    const looking = Promise.withResolvers<void>();
    const impatient = then
      .within(1_500)
      .eventually<Deployment>('web has seven pods', deployments, 'web', (web) => {
        looking.resolve();
        return web.status?.replicas === 7;
      });
    const failure = impatient.then(
      () => 'the wait did not time out',
      (error: Error) => error.message,
    );
    await looking.promise;
    await then.eventuallyAll('web has a ReplicaSet', replicaSets, (sets) => sets.length === 1);
    await when.scaled(deployments, 'web', 2);
    const message = await failure;
    expect(message).toMatch(/^Timed out after 1\.\d s waiting for: web has seven pods\. Observed:/);
    expect(message).toContain('Deployment web: desired 0');
    expect(message).toContain('Deployment web: desired 2');
    expect(message).toMatch(/Pods in test-\w+ now:\n {2}Pod web-/);
    expect(message).toMatch(/Latest events in test-\w+:\n.*Deployment web: ScalingReplicaSet/s);
  });
});

describe('people of different rights', () => {
  test('an impersonated user may do what a role gives her, and no more', async () => {
    const [given, when] = await story(engine);
    await given.objects(
      configMap('foo', { a: '1' }),
      role('editor', ['get', 'update'], 'configmaps'),
      roleBinding('editor', { user: 'anna' }),
    );
    const anna = await when.by({ user: 'anna' });
    await anna.edited<ConfigMap>(configMaps, 'foo', (foo) => {
      foo.data = { a: '2' };
    });
    await expect(anna.deleted(configMaps, 'foo')).rejects.toMatchObject({ status: 403, reason: 'Forbidden' });
    await expect(anna.kubectl('delete', 'configmap', 'foo')).rejects.toThrow(/User "anna" cannot delete/);
  });

  test('a user with a client certificate is who it says, with its group', async () => {
    const [given, when] = await story(engine);
    await given.objects(
      configMap('foo'),
      role('reader', ['get'], 'configmaps'),
      roleBinding('reader', { group: 'dev' }),
    );
    const otto = await when.by({ certificateOf: 'otto', group: 'dev' });
    expect(await otto.kubectl('get', 'configmap', 'foo', '--output', 'name')).toBe('configmap/foo\n');
    await expect(otto.deleted(configMaps, 'foo')).rejects.toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('User "otto" cannot delete') },
    });
  });

  test('a group, and a service account with its own token', async () => {
    const [given, when] = await story(engine);
    await given.objects(
      configMap('foo'),
      serviceAccount('bot'),
      role('reader', ['get'], 'configmaps'),
      roleBinding('reader', { serviceAccount: 'bot' }),
      { ...roleBinding('reader', { group: 'dev' }), metadata: { name: 'for-dev' } },
    );
    const bot = await when.by({ serviceAccount: 'bot', namespace: given.namespace });
    expect(await bot.kubectl('get', 'configmap', 'foo', '--output', 'name')).toBe('configmap/foo\n');
    expect(await bot.kubectl('auth', 'whoami', '--output', 'jsonpath={.status.userInfo.username}')).toBe(
      `system:serviceaccount:${given.namespace}:bot`,
    );
    await expect(bot.deleted(configMaps, 'foo')).rejects.toMatchObject({ status: 403 });
    const dev = await when.by({ user: 'eve', group: 'dev' });
    expect(await dev.kubectl('get', 'configmap', 'foo', '--output', 'name')).toBe('configmap/foo\n');
  });
});

describe.runIf(engine.capabilities.auditLog)('the audit log', () => {
  test('tells who wrote what since a mark, and nothing from before it', async () => {
    const [given, when] = await story(engine);
    await given.objects(configMap('before'));
    const log = engine.auditLog();
    const mark = await log.mark();
    await given.objects(configMap('foo'), role('editor', ['get', 'update'], 'configmaps'));
    await given.objects(roleBinding('editor', { user: 'anna' }));
    const anna = await when.by({ user: 'anna' });
    // The authorizer observes a new RoleBinding through a watch, shortly after it is written.
    const reader = await engine.connect({ user: 'anna' });
    await waitFor('the RoleBinding is in effect', async () => ({
      met: await reader.get(configMaps, { namespace: given.namespace, name: 'foo' }),
    }));
    await anna.edited(configMaps, 'foo', () => {});
    const entries = (await log.since(mark)).filter(
      ({ namespace, resource }) => namespace === given.namespace && resource === 'configmaps',
    );
    expect(entries.some(({ name }) => name === 'before')).toBe(false);
    const writes = entries.filter(({ verb }) => verb === 'create' || verb === 'update');
    expect(writes).toMatchObject([
      { verb: 'create', name: 'foo', code: 201 },
      { verb: 'update', name: 'foo', code: 200, user: 'anna' },
    ]);
  });
});

describe.runIf(engine.capabilities.simulatedPods)('simulated pods', () => {
  test('become Ready, misbehave on command, and get well again', async () => {
    const [given, when, then] = await story(engine);
    await given.objects(deployment('web', withReplicas(2)));
    const ready = (count: number) => (web: Deployment) => (web.status?.readyReplicas ?? 0) === count;
    await then.eventually('web is ready', deployments, 'web', ready(2));
    await when.podsBehave('app=web', 'unready');
    await then.eventually('web lost its pods', deployments, 'web', ready(0));
    await when.podsBehave('app=web', 'well');
    await then.eventually('web is ready again', deployments, 'web', ready(2));
  });

  test('crash from the start when their template says so', async () => {
    const [given, , then] = await story(engine);
    await given.objects(deployment('web', behaving('crash-loop')));
    type Crashing = { metadata: object; status?: { containerStatuses?: { restartCount: number }[] } };
    await then.eventuallyAll<Crashing>('a second crash', pods, (all) =>
      all.some(({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1),
    );
  });
});
