import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CommandScene } from './support/command-scene.ts';

let scene: CommandScene;

beforeAll(async () => {
  scene = await CommandScene.start();
  await scene.given.objects(
    deployment('bar'),
    deployment('web', envFromConfigMap('used')),
    statefulSet('db'),
    daemonSet('log'),
  );
});
afterAll(() => scene?.close());

async function ownersOf(name: string, resource = configMaps): Promise<OwnerReference[]> {
  return (await scene.object<KubeObject>(resource, name)).metadata.ownerReferences ?? [];
}

test('a config gets its owner once', async () => {
  const [foo] = await scene.given.objects(configMap('foo', { a: '1' }));
  const set = await scene.trimtab('set', 'owner', 'configmap/foo', 'deployment/bar');
  expect(set).toEqual({
    stdout: 'configmap "foo" updated\n',
    stderr: `Warning: deployment/bar owns configmap/foo now: when deployment/bar is deleted, Kubernetes deletes configmap/foo, too
Warning: deployment/bar does not use configmap/foo yet, so Trimtab does not manage it; mount it with \`trimtab set volume deployment/bar -t configmap --configmapname foo\`
`,
    code: 0,
  });
  const [owner, ...more] = await ownersOf('foo');
  expect(more).toEqual([]);
  expect(owner).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'bar', uid: expect.any(String) });
  const { metadata } = await scene.object<KubeObject>(configMaps, 'foo');
  expect(metadata.resourceVersion).not.toBe(foo.metadata.resourceVersion);

  const again = await scene.trimtab('set', 'owner-ref', 'foo', 'deploy/bar');
  expect(again).toEqual(set);
  expect((await scene.object<KubeObject>(configMaps, 'foo')).metadata.resourceVersion).toBe(
    metadata.resourceVersion,
  );
});

test('a workload that uses the config causes no second warning', async () => {
  await scene.given.objects(configMap('used'));
  const { stderr } = await scene.trimtab('set', 'owner-reference', 'cm/used', 'deployments.apps/web');
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('several configs get several owners of all kinds', async () => {
  await scene.given.objects(configMap('shared'), secret('shared', { password: 'x' }));
  const first = await scene.trimtab('set', 'owner', 'cm/shared', 'secret/shared', 'sts/db');
  expect(first).toMatchObject({ stdout: 'configmap "shared" updated\nsecret "shared" updated\n', code: 0 });
  const second = await scene.trimtab('set', 'owner', 'secret/shared', 'ds/log');
  expect(second.stderr).toContain(
    'Kubernetes deletes secret/shared when the last of its owners is deleted: statefulset/db, daemonset/log',
  );
  const owners = await ownersOf('shared', secrets);
  expect(owners.map(({ kind, name }) => `${kind}/${name}`)).toEqual(['StatefulSet/db', 'DaemonSet/log']);
});

test('commands that run at the same time lose nothing of each other', async () => {
  await scene.given.objects(configMap('busy'));
  const owners = ['deployment/bar', 'statefulset/db', 'daemonset/log'];
  const results = await Promise.all(owners.map((owner) => scene.trimtab('set', 'owner', 'busy', owner)));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect((await ownersOf('busy')).map(({ name }) => name).sort()).toEqual(['bar', 'db', 'log']);
});

test('a wrong name changes nothing', async () => {
  await scene.given.objects(configMap('kept'));
  const missing = await scene.trimtab('set', 'owner', 'cm/kept', 'cm/missing', 'deployment/bar');
  expect(missing).toEqual({
    stdout: '',
    stderr: 'Error from server (NotFound): configmaps "missing" not found\n',
    code: 1,
  });
  const owner = await scene.trimtab('set', 'owner', 'cm/kept', 'deployment/missing');
  expect(owner.stderr).toBe('Error from server (NotFound): deployments.apps "missing" not found\n');
  expect(await ownersOf('kept')).toEqual([]);
});

test('owners are removed by name, or all of them', async () => {
  await scene.given.objects(configMap('loose'));
  await scene.trimtab('set', 'owner', 'loose', 'deployment/bar');
  await scene.trimtab('set', 'owner', 'loose', 'deployment/web');
  await scene.trimtab('set', 'owner', 'loose', 'statefulset/db');
  const one = await scene.trimtab('set', 'owner', 'loose', 'deployment/bar', '--remove');
  expect(one).toEqual({ stdout: 'configmap "loose" updated\n', stderr: '', code: 0 });
  expect((await ownersOf('loose')).map(({ name }) => name)).toEqual(['web', 'db']);
  const none = await scene.trimtab('set', 'owner', 'loose', 'deployment/bar', '--remove');
  expect(none).toEqual({
    stdout: 'configmap "loose" updated\n',
    stderr: 'Warning: configmap/loose is not owned by deployment/bar; nothing was changed\n',
    code: 0,
  });
  await scene.trimtab('set', 'owner', 'loose', '--remove');
  expect(await ownersOf('loose')).toEqual([]);
});

test('removing the owner of a managed config says that it stays managed', async () => {
  await scene.trimtab('create', 'cm', 'sticky', '--version=1.0.0', '--owner=deployment/bar');
  const { stderr } = await scene.trimtab('set', 'owner', 'sticky', 'deployment/bar', '--remove');
  expect(stderr).toBe(
    'Warning: Trimtab still manages configmap/sticky: removing the owner does not opt out; `trimtab unmanage` does\n',
  );
});

test('a version gets no owner', async () => {
  await scene.trimtab('create', 'cm', 'parent', '--version=1.0.0');
  const { items } = await scene.client.list(configMaps, {
    namespace: scene.namespace,
    labelSelector: 'trimtab.dev/config=parent,trimtab.dev/version-of',
  });
  const name = items[0]?.metadata.name ?? '';
  const refused = await scene.trimtab('set', 'owner', name, 'deployment/bar');
  expect(refused).toEqual({
    stdout: '',
    stderr: `error: configmap/${name} is a version of configmap/parent\nhint: set the owner of configmap/parent instead\n`,
    code: 1,
  });
});

test('a dry run changes nothing', async () => {
  await scene.given.objects(configMap('dry'));
  const client = await scene.trimtab('set', 'owner', 'dry', 'deployment/bar', '--dry-run=client');
  expect(client.stdout).toBe('configmap "dry" updated (dry run)\n');
  const server = await scene.trimtab(
    'set',
    'owner',
    'dry',
    'deployment/bar',
    '--dry-run=server',
    '-o',
    'json',
  );
  expect(JSON.parse(server.stdout).metadata.ownerReferences).toHaveLength(1);
  expect(await ownersOf('dry')).toEqual([]);
});

test('several configs are printed as documents of YAML, with their content', async () => {
  await scene.given.objects(configMap('doc-a', { a: '1' }), configMap('doc-b', { b: '2' }));
  const args = ['set', 'owner', 'doc-a', 'doc-b', 'deployment/bar', '--dry-run=client', '-o', 'yaml'];
  const { stdout } = await scene.trimtab(...args);
  const shown = parseAllDocuments(stdout).map((document) => document.toJS());
  expect(shown.map(({ data, metadata }) => [data, metadata.ownerReferences?.length])).toEqual([
    [{ a: '1' }, 1],
    [{ b: '2' }, 1],
  ]);
});

test.each([
  [['configmap/foo'], 'the owner is required as the last argument, such as deployment/bar'],
  [['deployment/bar'], "'deployment/bar' is a workload: name the config before it"],
  [['deployment/bar', 'configmap/foo'], "'deployment/bar' is a workload, but a config is required"],
  [['configmap/foo', 'pod/bar'], "'pod' is not a type that Trimtab knows"],
])('%j is a usage error', async (args, message) => {
  const { stderr, code } = await scene.trimtab('set', 'owner', ...args);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test('the rights to get the workload and to patch the config are enough', async () => {
  await scene.given.objects(configMap('by-helper'));
  const trimtab = await scene.userWith('helper', 'get deployments.apps configmaps', 'patch configmaps');
  expect(await trimtab('set', 'owner', 'by-helper', 'deployment/bar')).toMatchObject({
    stdout: 'configmap "by-helper" updated\n',
    code: 0,
  });
  const reader = await scene.userWith('reader', 'get deployments.apps configmaps');
  const refused = await reader('set', 'owner', 'by-helper', 'deployment/web');
  expect(refused.stderr).toContain('hint: this needs the verb "patch" on "configmaps" in namespace');
});
