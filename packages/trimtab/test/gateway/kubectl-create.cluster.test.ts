import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type KubectlResult, kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayScene } from './support/gateway-scene.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
let gateway: GatewayScene;
let kubeconfig: string;
let folder: string;

beforeAll(async () => {
  scene = await VersionsScene.start();
  folder = await mkdtemp(path.join(tmpdir(), 'trimtab-kubectl-'));
  // kubectl sends its token over HTTPS only.
  gateway = await GatewayScene.startSecure(scene.engine);
  kubeconfig = await scene.engine.kubeconfigOf(scene.identityOf('alice'), gateway.address);
});

afterAll(async () => {
  await gateway?.close();
  await scene?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** Runs kubectl as Alice through the gateway. */
function run(args: string[], stdin = ''): Promise<KubectlResult> {
  return kubectl(scene.engine, args, { namespace: scene.namespace, kubeconfig, stdin });
}

/** The documented example of the API, as valid YAML. It spells the name as `Name`. */
const example = `apiVersion: v1
kind: ConfigMap
metadata:
  Name: example-configmap
  version: 1.0.0 # or initial release or user specific value
data:
  # property-like keys
  game-properties-file-name: game.properties
  ui-properties-file-name: ui.properties
  # file-like keys
  game.properties: |
    enemies=aliens
    lives=3
    enemies.cheat=true
    enemies.cheat.level=noGoodRotten
    secret.code.passphrase=UUDDLRLRBABAS
    secret.code.allowed=true
    secret.code.lives=30
  ui.properties: |
    color.good=purple
    color.bad=yellow
    allow.textmode=true
    how.nice.to.look=fairlyNice
`;

test('kubectl create makes the documented example a config with a version', async () => {
  const created = await run(['create', '--filename', '-'], example);
  expect(created).toMatchObject({ stdout: 'configmap/example-configmap created\n', stderr: '', code: 0 });
  const { json } = await scene.as('alice', 'GET', 'configmaps/example-configmap/1.0.0');
  expect(json.data['ui.properties']).toContain('color.good=purple\n');
  const again = await run(['create', '--filename', '-'], example);
  expect(again.stderr).toContain('already exists: add a version with POST');
  expect(again.code).toBe(1);
});

test('a dry run of it leaves nothing behind', async () => {
  const named = example.replace('example-configmap', 'dry');
  const { stdout, code } = await run(['create', '--dry-run=server', '--filename', '-'], named);
  expect(stdout).toBe('configmap/dry created (server dry run)\n');
  expect(code).toBe(0);
  expect((await run(['get', 'configmap', 'dry'])).stderr).toContain('NotFound');
});

test('without a version, kubectl create is Kubernetes’ own', async () => {
  const plain = example.replace(/ +version: .*\n/, '').replace('Name: example-configmap', 'name: plain');
  expect((await run(['create', '--filename', '-'], plain)).stdout).toBe('configmap/plain created\n');
  const rollouts = (await scene.objects('configrollouts')).map(({ metadata }) => metadata.name);
  expect(rollouts).not.toContain('configmap-plain');
  const misspelt = await run(['create', '--filename', '-'], plain.replace('name: plain', 'Name: plain'));
  expect(misspelt.stderr).toContain('unknown field "metadata.Name"');
});

test('versions are added, read, listed, compared and deleted with kubectl as well', async () => {
  const named = example.replace('Name: example-configmap', 'name: raw');
  await run(['create', '--filename', '-'], named);
  const config = `/api/v1/namespaces/${scene.namespace}/configmaps/raw`;
  const ours = `/apis/trimtab.dev/v1alpha1/namespaces/${scene.namespace}/configmaps/raw/versions`;
  const file = path.join(folder, 'version.json');
  await writeFile(file, JSON.stringify({ data: { lives: '4' } }));
  const added = await run(['create', '--raw', `${config}/2.0.0`, '--filename', file]);
  expect(JSON.parse(added.stdout).metadata.version).toBe('2.0.0');
  const read = await run(['get', '--raw', `${config}/2.0.0`]);
  expect(JSON.parse(read.stdout).data).toEqual({ lives: '4' });
  const list = JSON.parse((await run(['get', '--raw', ours])).stdout);
  expect(list.items).toMatchObject([{ state: 'current' }, { metadata: { name: '2.0.0' } }]);
  const diff = JSON.parse((await run(['get', '--raw', `${ours}/current/diff/2.0.0`])).stdout);
  expect(diff.added).toEqual([{ field: 'data', key: 'lives', to: { text: '4' } }]);
  expect((await run(['delete', '--raw', `${config}/1.0.0`])).stderr).toContain('the version is current');
  expect((await run(['delete', '--raw', `${config}/2.0.0`])).code).toBe(0);
});

test('kubectl reaches a version of any name that can be created, on every path', async () => {
  const config = `/api/v1/namespaces/${scene.namespace}/configmaps/odd`;
  const ours = `/apis/trimtab.dev/v1alpha1/namespaces/${scene.namespace}/configmaps/odd/versions`;
  await scene.as('alice', 'POST', 'configmaps/first', { metadata: { name: 'odd' } });
  const file = path.join(folder, 'odd.json');
  await writeFile(file, JSON.stringify({ data: { a: 'b' } }));
  for (const name of ['50%ad', '%2e%2e', 'a%2Fb', 'a;b?c#d+e&f', '...', 'initial release', 'Ünïcode 版本']) {
    const encoded = encodeURIComponent(name);
    const added = await run(['create', '--raw', `${config}/${encoded}`, '--filename', file]);
    expect(JSON.parse(added.stdout).metadata.version).toBe(name);
    const read = await run(['get', '--raw', `${config}/${encoded}`]);
    expect(JSON.parse(read.stdout).metadata.version).toBe(name);
    const diff = await run(['get', '--raw', `${ours}/first/diff/${encoded}`]);
    expect(JSON.parse(diff.stdout).to).toBe(name);
    expect(await run(['delete', '--raw', `${config}/${encoded}`])).toMatchObject({ code: 0 });
  }
});
