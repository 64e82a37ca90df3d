import { configMaps, deployments, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import type { Secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { CommandScene } from './support/command-scene.ts';

let scene: CommandScene;

beforeAll(async () => {
  scene = await CommandScene.start();
  await scene.given.objects(
    deployment('bar'),
    deployment('user', mountingConfigMap('mounted', '/etc/mounted')),
  );
});
afterAll(() => scene?.close());

async function rolloutOf(name: string): Promise<ConfigRollout | undefined> {
  const { items } = await scene.client.list<ConfigRollout>(configRollouts, { namespace: scene.namespace });
  return items.find(({ spec }) => spec.config.name === name);
}

async function ownerOf(name: string, uidOf: string) {
  const { metadata } = await scene.object<KubeObject>(deployments, uidOf);
  return { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: metadata.uid };
}

describe('create configmap', () => {
  test('creates a ConfigMap that is not managed', async () => {
    const file = await scene.file('config.yml', 'color: blue\n');
    const created = await scene.trimtab('create', 'configmap', 'plain', `--from-file=${file}`);
    expect(created).toEqual({ stdout: 'configmap "plain" created\n', stderr: '', code: 0 });
    const { data, metadata } = await scene.object<ConfigMap>(configMaps, 'plain');
    expect(data).toEqual({ 'config.yml': 'color: blue\n' });
    expect(metadata).not.toHaveProperty('annotations');
    expect(metadata).not.toHaveProperty('ownerReferences');
    expect(await rolloutOf('plain')).toBeUndefined();

    const again = await scene.trimtab('create', 'cm', 'plain', `--from-file=${file}`);
    expect(again).toEqual({
      stdout: '',
      stderr:
        'error: failed to create configmap: configmaps "plain" already exists\nhint: edit it, or add a version to it with `trimtab add-version plain --from-file=…`\n',
      code: 1,
    });
  });

  test('with an owner links it, and says what that means', async () => {
    const created = await scene.trimtab(
      'create',
      'cm',
      'owned',
      '--from-literal=a=b',
      '--owner',
      'deployment/bar',
    );
    expect(created).toEqual({
      stdout: 'configmap "owned" created\n',
      stderr: `Warning: deployment/bar owns configmap/owned now: when deployment/bar is deleted, Kubernetes deletes configmap/owned, too
Warning: deployment/bar does not use configmap/owned yet, so Trimtab does not manage it; mount it with \`trimtab set volume deployment/bar -t configmap --configmapname owned\`
`,
      code: 0,
    });
    const { metadata } = await scene.object<ConfigMap>(configMaps, 'owned');
    expect(metadata.ownerReferences).toEqual([await ownerOf('bar', 'bar')]);

    const used = await scene.trimtab('create', 'cm', 'mounted', '--owner=deploy/user');
    expect(used.stdout).toBe('configmap "mounted" created\n');
    expect(used.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('with an owner that does not exist creates nothing', async () => {
    const refused = await scene.trimtab('create', 'cm', 'orphan', '--owner', 'deployment/missing');
    expect(refused).toEqual({
      stdout: '',
      stderr: 'Error from server (NotFound): deployments.apps "missing" not found\n',
      code: 1,
    });
    await expect(scene.object(configMaps, 'orphan')).rejects.toThrow('not found');
  });

  test('with a version creates the config locked, with its first version', async () => {
    const created = await scene.trimtab('create', 'cm', 'locked', '--from-literal=a=b', '--version=1.0.0');
    expect(created).toEqual({ stdout: 'configmap "locked" created\n', stderr: '', code: 0 });
    expect((await rolloutOf('locked'))?.spec.release).toBe('Locked');
    const { metadata, data } = await scene.object<ConfigMap>(configMaps, 'locked');
    expect(data).toEqual({ a: 'b' });
    expect(metadata).toMatchObject({
      labels: { [labels.locked]: 'true' },
      annotations: { [annotations.version]: '1.0.0' },
    });
    const { items } = await scene.client.list<ConfigMap>(configMaps, {
      namespace: scene.namespace,
      labelSelector: `${labels.config}=locked,${labels.versionOf}`,
    });
    expect(items).toMatchObject([{ immutable: true, data: { a: 'b' } }]);

    const again = await scene.trimtab('create', 'cm', 'locked', '--version=1.0.1');
    expect(again.stderr).toBe(
      'Error from server (AlreadyExists): configmaps "locked" already exists\nhint: add a version to it with `trimtab add-version`\n',
    );
  });

  test('again with a version, after it was deleted, says which version is still current', async () => {
    const create = (version: string) =>
      scene.trimtab('create', 'cm', 'again', `--from-literal=v=${version}`, `--version=${version}`);
    expect(await create('1.0.0')).toMatchObject({ stderr: '', code: 0 });
    await scene.client.delete(configMaps, { namespace: scene.namespace, name: 'again' });
    expect(await create('2.0.0')).toEqual({
      stdout: 'configmap "again" created\n',
      stderr:
        'Warning: version "2.0.0" of configmaps "again" is not current yet: version "1.0.0", created before, still is; activation of version "2.0.0" was requested\n',
      code: 0,
    });
    expect((await rolloutOf('again'))?.spec.version).toBe('2.0.0');
  });

  test.each([
    ['with an owner', ['--owner=deployment/bar'], 'Auto'],
    ['with an owner and a mode', ['--owner=deployment/bar', '--release=locked'], 'Locked'],
    ['with a mode', ['--release=manual'], 'Manual'],
  ])('with a version and %s', async (title, flags, release) => {
    const name = title.replaceAll(' ', '-');
    const created = await scene.trimtab('create', 'cm', name, '--version=first try', ...flags);
    expect(created).toMatchObject({ stdout: `configmap "${name}" created\n`, code: 0 });
    expect((await rolloutOf(name))?.spec.release).toBe(release);
    const { metadata } = await scene.object<ConfigMap>(configMaps, name);
    expect(metadata.annotations?.[annotations.version]).toBe('first try');
    expect(metadata.ownerReferences?.length ?? 0).toBe(flags[0]?.startsWith('--owner') ? 1 : 0);
  });

  test('a dry run writes nothing, and the server checks what it would', async () => {
    const line = async (...flags: string[]) =>
      (await scene.trimtab('create', 'cm', 'dry', '--from-literal=a=b', ...flags)).stdout;
    expect(await line('--dry-run=client')).toBe('configmap "dry" created (dry run)\n');
    expect(await line('--dry-run=server')).toBe('configmap "dry" created (server dry run)\n');
    expect(await line('--dry-run=server', '--version=1.0.0')).toBe(
      'configmap "dry" created (server dry run)\n',
    );
    const shown = parse(
      await line('--dry-run=client', '-o', 'yaml', '--owner=deployment/bar', '--version=2'),
    );
    expect(shown).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'dry',
        namespace: scene.namespace,
        annotations: { [annotations.version]: '2', [annotations.release]: 'auto' },
        ownerReferences: [await ownerOf('bar', 'bar')],
      },
      data: { a: 'b' },
    });
    await expect(scene.object(configMaps, 'dry')).rejects.toThrow('not found');
    expect(await rolloutOf('dry')).toBeUndefined();

    const invalid = await scene.trimtab('create', 'cm', 'Not_valid', '--dry-run=server');
    expect(invalid.stderr).toContain(
      'failed to create configmap: ConfigMap "Not_valid" is invalid: metadata.name',
    );
  });

  test('prints what was created with -o', async () => {
    const { stdout } = await scene.trimtab('create', 'cm', 'shown', '--from-literal=a=b', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      metadata: { name: 'shown', uid: expect.any(String) },
      data: { a: 'b' },
    });
    expect(stdout).not.toContain('managedFields');
    const named = await scene.trimtab('create', 'cm', 'named', '--version=1.0.0', '-o', 'name');
    expect(named.stdout).toBe('configmap/named\n');
  });

  test.each([
    [['--version=current'], "'current' is reserved"],
    [['--append-hash', '--version=1'], '--append-hash cannot be combined with --version or --owner'],
    [['--append-hash', '--owner=deployment/bar'], '--append-hash cannot be combined'],
    [['--owner=bar'], "'bar' has no type: write the workload as TYPE/NAME, such as deployment/bar"],
    [['--owner=configmap/bar'], "'configmap/bar' is a config, but a workload is required"],
  ])('%j is a usage error', async (flags, message) => {
    const { stderr, code } = await scene.trimtab('create', 'cm', 'wrong', ...flags);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test('says which right is missing', async () => {
    const trimtab = await scene.userWith('creator', 'create configmaps');
    const plain = await trimtab('create', 'cm', 'by-creator', '--from-literal=a=b');
    expect(plain).toMatchObject({ stdout: 'configmap "by-creator" created\n', code: 0 });
    const owned = await trimtab('create', 'cm', 'by-creator-too', '--owner=deployment/bar');
    expect(owned.code).toBe(1);
    expect(owned.stderr).toContain('hint: this needs the verb "get" on "deployments.apps" in namespace');
  });
});

describe('create secret generic', () => {
  test('creates a Secret of a type, and never prints its values', async () => {
    const args = ['--from-literal=password=hunter2', '--type=example.com/login'];
    const created = await scene.trimtab('create', 'secret', 'generic', 'login', ...args);
    expect(created).toEqual({ stdout: 'secret "login" created\n', stderr: '', code: 0 });
    expect(await scene.object<Secret>(secrets, 'login')).toMatchObject({
      type: 'example.com/login',
      data: { password: Buffer.from('hunter2').toString('base64') },
    });
    const again = await scene.trimtab('create', 'secret', 'generic', 'login', ...args);
    expect(again.stderr).toBe(
      'error: failed to create secret secrets "login" already exists\nhint: edit it, or add a version to it with `trimtab add-version secret/login --from-file=…`\n',
    );
  });

  test('with a version keeps the content in Secrets only', async () => {
    const args = ['--from-literal=password=hunter2', '--version=1.0.0', '--owner=deployment/bar'];
    const created = await scene.trimtab('create', 'secret', 'generic', 'versioned', ...args);
    expect(created).toMatchObject({ stdout: 'secret "versioned" created\n', code: 0 });
    expect(created.stderr).toContain('`trimtab set volume deployment/bar -t secret --secretname versioned`');
    const rollout = await rolloutOf('versioned');
    expect(rollout?.spec.release).toBe('Auto');
    expect(JSON.stringify(rollout)).not.toContain(Buffer.from('hunter2').toString('base64'));
  });
});
