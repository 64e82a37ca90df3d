import { configMaps } from '@trimtab/kube/resource.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommandScene } from './support/command-scene.ts';
import { runTrimtab, type TrimtabResult } from './support/run-trimtab.ts';

let scene: CommandScene;

beforeAll(async () => {
  scene = await CommandScene.start();
  await scene.given.objects(configMap('foo', { a: '1' }), deployment('bar'));
});
afterAll(() => scene?.close());

/** Runs `trimtab kubectl` with the kubectl of the engine. */
function trimtabKubectl(args: string[], stdin = ''): Promise<TrimtabResult> {
  return runTrimtab(scene.engine, ['kubectl', ...args], { stdin, env: { KUBECTL: scene.engine.kubectl } });
}

test.each([
  ['get configmap foo -o jsonpath={.data}'],
  ['get configmaps,deployments -o name'],
  ['get configmap missing'],
  ['set env deployment/bar A=b --dry-run=client'],
  ['create secret generic s --from-literal=a=b --dry-run=client'],
  ['create configmap c --from-literal=a=b --save-config --dry-run=client'],
  ['version --client=true'],
])('`kubectl %s` prints and returns what kubectl does', async (line) => {
  const args = ['-n', scene.namespace, ...line.split(' ')];
  expect(await trimtabKubectl(args)).toEqual(await kubectl(scene.engine, args));
});

test('standard input is passed on', async () => {
  const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'piped' } });
  const applied = await trimtabKubectl(['apply', '-n', scene.namespace, '-f', '-'], manifest);
  expect(applied).toEqual({ stdout: 'configmap/piped created\n', stderr: '', code: 0 });
});

test('flags of trimtab before the command are those of kubectl', async () => {
  const args = ['-n', scene.namespace, 'kubectl', 'get', 'configmap', 'foo', '-o', 'name'];
  const { stdout } = await runTrimtab(scene.engine, args, { env: { KUBECTL: scene.engine.kubectl } });
  expect(stdout).toBe('configmap/foo\n');
});

test('set owner, set volume and create configmap are those of Trimtab', async () => {
  const { namespace } = scene;
  const created = await trimtabKubectl([
    '-n',
    namespace,
    'create',
    'configmap',
    'ours',
    '--from-literal=a=b',
  ]);
  expect(created).toEqual({ stdout: 'configmap "ours" created\n', stderr: '', code: 0 });
  const owned = await trimtabKubectl(['set', '-n', namespace, 'owner', 'configmap/ours', 'deployment/bar']);
  expect(owned).toMatchObject({ stdout: 'configmap "ours" updated\n', code: 0 });
  const mounting = ['set', 'volume', 'deployment/bar', '-t', 'configmap', '--configmapname', 'ours'];
  const mounted = await trimtabKubectl([...mounting, `--namespace=${namespace}`]);
  expect(mounted).toEqual({ stdout: 'deployment "bar" updated\n', stderr: '', code: 0 });
  const { metadata, data } = await scene.object<ConfigMap>(configMaps, 'ours');
  expect([metadata.ownerReferences?.[0]?.name, data]).toEqual(['bar', { a: 'b' }]);
});

test('create configmap prints the ConfigMap for a pipe to apply', async () => {
  const args = ['create', 'configmap', 'gen', '--from-literal=a=b', '--dry-run=client', '-o', 'yaml'];
  const { stdout } = await trimtabKubectl(['-n', scene.namespace, ...args]);
  const applied = await trimtabKubectl(['-n', scene.namespace, 'apply', '-f', '-'], stdout);
  expect(applied).toMatchObject({ stdout: 'configmap/gen created\n', code: 0 });
});
