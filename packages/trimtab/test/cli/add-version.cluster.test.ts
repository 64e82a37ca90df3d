import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { CommandScene } from './support/command-scene.ts';
import { runTrimtab } from './support/run-trimtab.ts';

let scene: CommandScene;

beforeAll(async () => {
  scene = await CommandScene.start();
});
afterAll(() => scene?.close());

/** The contents of the versions of a config, by name. */
async function versionsOf(name: string, resource = configMaps): Promise<Record<string, ConfigMap['data']>> {
  const { items } = await scene.client.list<ConfigMap>(resource, {
    namespace: scene.namespace,
    labelSelector: `${labels.config}=${name},${labels.versionOf}`,
  });
  return Object.fromEntries(
    items.map(({ metadata, data }) => [metadata.annotations?.[annotations.version] ?? '', data]),
  );
}

test('a version is added to a locked config, with the diff and the next command', async () => {
  await scene.trimtab(
    'create',
    'cm',
    'foo',
    '--from-literal=color=blue',
    '--from-literal=size=3',
    '--version=1.0.0',
  );
  const added = await scene.trimtab(
    'add-version',
    'foo',
    '--from-literal=color=green',
    '--from-literal=new=x',
  );
  expect(added).toEqual({
    stdout: `--- foo/1.0.0/data/size
+++ /dev/null
@@ -1,1 +0,0 @@
-3
--- foo/1.0.0/data/color
+++ foo/1.0.1/data/color
@@ -1,1 +1,1 @@
-blue
+green
--- /dev/null
+++ foo/1.0.1/data/new
@@ -0,0 +1,1 @@
+x
configmap "foo" version "1.0.1" added
Activate it with: trimtab activate foo 1.0.1 -n ${scene.namespace}
`,
    stderr: '',
    code: 0,
  });
  expect(await versionsOf('foo')).toEqual({
    '1.0.0': { color: 'blue', size: '3' },
    '1.0.1': { color: 'green', new: 'x' },
  });
  expect((await scene.object<ConfigMap>(configMaps, 'foo')).data).toEqual({ color: 'blue', size: '3' });
});

test('a version with a name is added once', async () => {
  await scene.trimtab('create', 'cm', 'named', '--version=1.0.0');
  const args = ['add-version', 'cm/named', '--from-literal=a=1', '--version', 'summer sale'];
  const added = await scene.trimtab(...args);
  expect(added.stdout).toContain(
    `Activate it with: trimtab activate named 'summer sale' -n ${scene.namespace}\n`,
  );
  const again = await scene.trimtab(...args);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain(
    'Error from server (AlreadyExists): version "summer sale" of configmaps "named" already exists',
  );
});

test('the content of a config that was not managed becomes its first version', async () => {
  await scene.given.objects(configMap('plain', { color: 'blue' }));
  const { stdout } = await scene.trimtab('add-version', 'plain', '--from-literal=color=green');
  expect(stdout).toContain('--- plain/1.0.0/data/color\n+++ plain/1.0.1/data/color\n');
  expect(await versionsOf('plain')).toEqual({ '1.0.0': { color: 'blue' }, '1.0.1': { color: 'green' } });
});

test('of a Secret only the keys are shown, unless its values are asked for', async () => {
  await scene.given.objects(secret('login', { password: 'hunter2' }));
  const add = ['add-version', 'secret/login', '--from-literal=password=hunter3'];
  const added = await scene.trimtab(...add);
  expect(added.stdout).toBe(
    `Values login/1.0.0/data/password and login/1.0.1/data/password differ
secret "login" version "1.0.1" added
Activate it with: trimtab activate secret/login 1.0.1 -n ${scene.namespace}
`,
  );
  const shown = await scene.trimtab(...add, '--show-secrets');
  expect(shown.stdout).toContain('-hunter2\n+hunter3\n');
  expect(Object.keys(await versionsOf('login', secrets))).toEqual(
    expect.arrayContaining(['1.0.0', '1.0.1', '1.0.2']),
  );
});

test('a manifest is a source, also from standard input', async () => {
  await scene.given.objects(secret('key', { a: '1' }), configMap('conf', { a: '1' }));
  const file = await scene.file(
    'key.yaml',
    'apiVersion: v1\nkind: Secret\nmetadata:\n  name: key\nstringData:\n  a: "2"\n',
  );
  expect((await scene.trimtab('add-version', 'secret/key', '-f', file, '--show-secrets')).stdout).toContain(
    '-1\n',
  );
  expect((await versionsOf('key', secrets))['1.0.1']).toEqual({ a: Buffer.from('2').toString('base64') });
  const piped = await runTrimtab(scene.engine, ['add-version', 'conf', '-f', '-'], {
    namespace: scene.namespace,
    stdin: 'kind: ConfigMap\nmetadata: {name: conf}\ndata: {a: "3"}\n',
  });
  expect(piped).toMatchObject({ stderr: '', code: 0 });
  expect((await versionsOf('conf'))['1.0.1']).toEqual({ a: '3' });
  const wrong = await scene.trimtab('add-version', 'conf', '-f', file);
  expect(wrong).toMatchObject({
    stderr: `error: ${file} has no ConfigMap conf; it has Secret key\n`,
    code: 1,
  });
});

test('a dry run shows the diff and adds nothing', async () => {
  await scene.given.objects(configMap('dry', { color: 'blue' }));
  const { stdout, code } = await scene.trimtab('add-version', 'dry', '--from-literal=color=red', '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toContain('+red\n');
  expect(stdout).toMatch(/\nconfigmap "dry" version "1.0.1" added \(server dry run\)\n$/);
  expect(await versionsOf('dry')).toEqual({});
});

test('the same content as that of the current version is told', async () => {
  await scene.given.objects(configMap('same', { color: 'blue' }));
  const { stdout, stderr } = await scene.trimtab('add-version', 'same', '--from-literal=color=blue');
  expect(stdout).toMatch(/^configmap "same" version "1.0.1" added\n/);
  expect(stderr).toBe('Warning: version 1.0.1 has the same content as the current version 1.0.0\n');
});

test('prints the version with -o', async () => {
  await scene.given.objects(configMap('shown', { color: 'blue' }));
  const { stdout } = await scene.trimtab('add-version', 'shown', '--from-literal=color=red', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'ConfigMap',
    metadata: { name: 'shown', version: '1.0.1', annotations: { [labels.state]: 'not-current' } },
    data: { color: 'red' },
  });
  const named = await scene.trimtab('add-version', 'shown', '--from-literal=color=green', '-o', 'name');
  expect(named.stdout).toMatch(/^configmap\/shown-[a-z2-7]{10}\n$/);
});

test.each([
  [
    ['foo'],
    'the content of the version is required: set --from-file, --from-literal, --from-env-file or -f',
    2,
  ],
  [['foo', '-f', 'x.yaml', '--from-literal=a=1'], '-f cannot be combined with --from-file', 2],
  [['foo', '--from-literal=a=1', '--version=current'], "'current' is reserved", 2],
  [['deployment/foo', '--from-literal=a=1'], 'is a workload, but a config is required', 2],
  [['foo', '-f', 'missing.yaml'], 'the path "missing.yaml" does not exist', 1],
  [
    ['missing', '--from-literal=a=1'],
    'Error from server (NotFound): configmaps "missing" not found\nhint: create it with `trimtab create configmap`',
    1,
  ],
])('%j is refused', async (args, message, expected) => {
  const { stdout, stderr, code } = await scene.trimtab('add-version', ...args);
  expect(stderr).toContain(message);
  expect({ stdout, code }).toEqual({ stdout: '', code: expected });
});

test('says which right is missing', async () => {
  await scene.given.objects(configMap('theirs', { a: '1' }));
  const trimtab = await scene.userWith(
    'viewer',
    'get configmaps configrollouts.trimtab.dev',
    'list configmaps',
  );
  const refused = await trimtab('add-version', 'theirs', '--from-literal=a=2');
  expect(refused).toMatchObject({ stdout: '', code: 1 });
  expect(refused.stderr).toContain(
    'hint: this needs the verb "create" on "configrollouts.trimtab.dev" in namespace',
  );
});

test.each(['bootstrap.kubernetes.io/token', 'trimtab.dev/version'])(
  'a Secret of type %s gets no version, also in a dry run',
  async (type) => {
    const name = type.replace(/[^a-z]/g, '-');
    const metadata = { name, namespace: scene.namespace };
    await scene.client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, type } as KubeObject);
    for (const flags of [[], ['--dry-run'], ['--version=2.0.0']]) {
      const added = await scene.trimtab('add-version', `secret/${name}`, '--from-literal=a=b', ...flags);
      expect(added.stderr).toContain(
        `type: Invalid value: "${type}": Secrets of this type cannot have versions`,
      );
      expect(added).toMatchObject({ stdout: '', code: 1 });
    }
    const { items } = await scene.client.list(configRollouts, { namespace: scene.namespace });
    expect(items.map(({ metadata: { name: each } }) => each)).not.toContain(`secret-${name}`);
  },
);
