import { configMaps, daemonSets, deployments, type Resource, statefulSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, type Templated } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommandScene } from './support/command-scene.ts';

let scene: CommandScene;

beforeAll(async () => {
  scene = await CommandScene.start();
  await scene.given.objects(configMap('foo', { a: '1' }), secret('key', { password: 'x' }));
});
afterAll(() => scene?.close());

function withProxy({ spec }: Deployment): void {
  spec.template.spec.containers.push({ name: 'proxy', image: 'busybox' });
}

async function specOf(name: string, resource: Resource = deployments) {
  return (await scene.object<KubeObject & Templated>(resource, name)).spec.template.spec;
}

/** What each container mounts, as `path:volume`. */
async function mountsOf(name: string): Promise<Record<string, string[]>> {
  const { containers } = await specOf(name);
  return Object.fromEntries(
    containers.map((each) => [
      each.name,
      (each.volumeMounts ?? []).map((mount) => `${mount.mountPath}:${mount.name}`),
    ]),
  );
}

const mountFoo = ['-t', 'configmap', '--configmapname', 'foo'];

test('a ConfigMap is mounted into all containers, once', async () => {
  await scene.given.objects(deployment('bar', withProxy));
  const mounted = await scene.trimtab('set', 'volume', 'deployment/bar', ...mountFoo);
  expect(mounted).toEqual({ stdout: 'deployment "bar" updated\n', stderr: '', code: 0 });
  expect((await specOf('bar')).volumes).toMatchObject([{ name: 'foo', configMap: { name: 'foo' } }]);
  expect(await mountsOf('bar')).toEqual({ app: ['/etc/foo:foo'], proxy: ['/etc/foo:foo'] });
  const { metadata } = await scene.object<Deployment>(deployments, 'bar');

  const again = await scene.trimtab('set', 'volume', 'deployment/bar', ...mountFoo);
  expect(again).toEqual(mounted);
  expect((await scene.object<Deployment>(deployments, 'bar')).metadata.generation).toBe(metadata.generation);
});

test('the mount is where the user wants it', async () => {
  await scene.given.objects(deployment('placed', withProxy));
  await scene.trimtab(
    ...[
      'set',
      'volume',
      'deploy/placed',
      ...mountFoo,
      '--mount-path',
      '/app/a',
      '--sub-path=a',
      '-c',
      'pro*',
    ],
    ...['--name', 'config'],
  );
  const { volumes, containers } = await specOf('placed');
  expect(volumes).toMatchObject([{ name: 'config', configMap: { name: 'foo' } }]);
  expect(containers.map(({ volumeMounts }) => volumeMounts)).toMatchObject([
    ...[undefined, [{ name: 'config', mountPath: '/app/a', subPath: 'a' }]],
  ]);
});

test.each([
  ['StatefulSet', statefulSet('db'), statefulSets],
  ['DaemonSet', daemonSet('log'), daemonSets],
] as const)('a Secret is mounted into a %s', async (kind, workload, resource) => {
  await scene.given.object<KubeObject>(workload);
  const name = workload.metadata.name ?? '';
  const type = kind.toLowerCase();
  const mounted = await scene.trimtab(
    'set',
    'volume',
    `${type}/${name}`,
    '-t',
    'secret',
    '--secretname',
    'key',
  );
  expect(mounted).toEqual({ stdout: `${type} "${name}" updated\n`, stderr: '', code: 0 });
  expect((await specOf(name, resource)).volumes).toMatchObject([
    { name: 'key', secret: { secretName: 'key' } },
  ]);
});

test('a version in the template counts as its config', async () => {
  await scene.trimtab('create', 'cm', 'managed', '--version=1.0.0');
  const { items } = await scene.client.list<KubeObject>(configMaps, {
    namespace: scene.namespace,
    labelSelector: 'trimtab.dev/config=managed,trimtab.dev/version-of',
  });
  const version = items[0]?.metadata.name ?? '';
  await scene.given.objects(deployment('rolled', mountingConfigMap(version, '/etc/managed')));
  const config = ['-t', 'configmap', '--configmapname', 'managed'];
  await scene.trimtab('set', 'volume', 'deployment/rolled', ...config);
  const volume = `configmap-${version}`;
  expect(await mountsOf('rolled')).toEqual({ app: [`/etc/managed:${volume}`] });
  await scene.trimtab('set', 'volume', 'deployment/rolled', ...config, '-m', '/config');
  expect(await mountsOf('rolled')).toEqual({ app: [`/etc/managed:${volume}`, `/config:${volume}`] });
  await scene.trimtab('set', 'volume', 'deployment/rolled', ...config, '--remove');
  const { volumes, containers } = await specOf('rolled');
  expect([volumes, containers[0]?.volumeMounts]).toEqual([undefined, undefined]);
});

test('a config whose name looks like a version is another config', async () => {
  await scene.given.objects(
    configMap('foo-production'),
    deployment('prod', mountingConfigMap('foo-production', '/etc/foo')),
  );
  const refused = await scene.trimtab('set', 'volume', 'deployment/prod', ...mountFoo);
  expect(refused).toEqual({
    stdout: '',
    stderr:
      'error: deployment/prod: container "app" mounts volume "configmap-foo-production" at /etc/foo already\nhint: choose another path with --mount-path, other containers with --containers, or remove that mount first\n',
    code: 1,
  });
});

test('mounts are removed', async () => {
  await scene.given.objects(deployment('less', withProxy));
  await scene.trimtab('set', 'volume', 'deployment/less', ...mountFoo);
  await scene.trimtab('set', 'volume', 'deployment/less', ...mountFoo, '--remove', '-c', 'app');
  expect(await mountsOf('less')).toEqual({ app: [], proxy: ['/etc/foo:foo'] });
  const removed = await scene.trimtab('set', 'volume', 'deployment/less', ...mountFoo, '--remove');
  expect(removed).toEqual({ stdout: 'deployment "less" updated\n', stderr: '', code: 0 });
  expect((await specOf('less')).volumes).toBeUndefined();
  const none = await scene.trimtab('set', 'volume', 'deployment/less', ...mountFoo, '--remove');
  expect(none).toEqual({
    stdout: 'deployment "less" updated\n',
    stderr: 'Warning: deployment/less does not mount configmap/foo there; nothing was changed\n',
    code: 0,
  });
});

test('commands that run at the same time lose nothing of each other', async () => {
  const names = ['one', 'two', 'three'];
  await scene.given.objects(deployment('busy'), ...names.map((name) => configMap(name)));
  const mount = (name: string) => scene.trimtab('set', 'volume', 'deployment/busy', '--configmapname', name);
  const results = await Promise.all(names.map(mount));
  expect(results.map(({ stderr, code }) => ({ stderr, code }))).toEqual(
    names.map(() => ({ stderr: '', code: 0 })),
  );
  const { app = [] } = await mountsOf('busy');
  expect(app.sort()).toEqual(['/etc/one:one', '/etc/three:three', '/etc/two:two']);
});

test('a config that does not exist is mounted with a warning', async () => {
  await scene.given.objects(deployment('early'));
  const mounted = await scene.trimtab('set', 'volume', 'deployment/early', '--configmapname', 'later');
  expect(mounted).toEqual({
    stdout: 'deployment "early" updated\n',
    stderr:
      'Warning: configmap/later does not exist; new pods of deployment/early wait until it is created\n',
    code: 0,
  });
});

test('a dry run changes nothing', async () => {
  await scene.given.objects(deployment('dry'));
  const client = await scene.trimtab('set', 'volume', 'deployment/dry', ...mountFoo, '--dry-run=client');
  expect(client.stdout).toBe('deployment "dry" updated (dry run)\n');
  const server = await scene.trimtab(
    'set',
    'volume',
    'deployment/dry',
    ...mountFoo,
    '--dry-run=server',
    '-o',
    'json',
  );
  expect(JSON.parse(server.stdout).spec.template.spec.volumes).toHaveLength(1);
  expect((await specOf('dry')).volumes).toBeUndefined();
});

test.each([
  [
    ['deployment/missing', ...mountFoo],
    'Error from server (NotFound): deployments.apps "missing" not found',
    1,
  ],
  [['deployment/bar', ...mountFoo, '-c', 'nobody'], 'hint: its containers are app, proxy', 1],
  [['deployment/bar', ...mountFoo, '-m', 'etc'], '--mount-path etc is not absolute', 2],
  [['deployment/bar', ...mountFoo, '--name', 'A_b'], '--name A_b is not a valid name of a volume', 2],
  [
    ['deployment/bar', '-t', 'secret', '--configmapname', 'foo'],
    '--secretname is required with --type secret',
    2,
  ],
  [['deployment/bar'], '--configmapname is required with --type configmap', 2],
  [['deployment/bar', '--secretname=a', '--configmapname=b'], 'cannot be combined', 2],
  [['configmap/foo', ...mountFoo], 'is a config, but a workload is required', 2],
  [['deployment/bar', '-t', 'pvc', '--configmapname=b'], '--type must be one of configmap, secret', 2],
  [
    ['deployment/bar', ...mountFoo, '-m', '/x', '--sub-path', '../x'],
    'Error from server (Invalid): Deployment.apps "bar" is invalid',
    1,
  ],
])('%j is refused', async (args, message, expected) => {
  const { stdout, stderr, code } = await scene.trimtab('set', 'volume', ...args);
  expect(stderr).toContain(message);
  expect({ stdout, code }).toEqual({ stdout: '', code: expected });
});

test('a user who may not read configs can mount one', async () => {
  await scene.given.objects(deployment('by-mounter'));
  const trimtab = await scene.userWith('mounter', 'get deployments.apps', 'patch deployments.apps');
  expect(await trimtab('set', 'volume', 'deployment/by-mounter', ...mountFoo)).toEqual({
    ...{ stdout: 'deployment "by-mounter" updated\n', stderr: '', code: 0 },
  });
  const reader = await scene.userWith('reader', 'get deployments.apps');
  const refused = await reader('set', 'volume', 'deployment/by-mounter', ...mountFoo, '-m', '/x');
  expect(refused.stderr).toContain('hint: this needs the verb "patch" on "deployments.apps" in namespace');
});
