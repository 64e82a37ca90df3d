import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Patch } from '@trimtab/kube/client.ts';
import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import { type KubectlResult, kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { ConfigBody } from '../../src/api/config-body.ts';
import { annotations, labels } from '../../src/api/names.ts';
import type { RunningController } from '../support/running-controller.ts';
import { controllerOf } from './support/controller-of.ts';
import { GatewayScene } from './support/gateway-scene.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
let controller: RunningController;
let gateway: GatewayScene;
let kubeconfig: string;
let folder: string;

beforeAll(async () => {
  scene = await VersionsScene.start();
  controller = await controllerOf(scene);
  folder = await mkdtemp(path.join(tmpdir(), 'trimtab-kubectl-'));
  gateway = await GatewayScene.startSecure(scene.engine);
  kubeconfig = await scene.engine.kubeconfigOf(scene.identityOf('alice'), gateway.address);
});

afterAll(async () => {
  await controller?.stop();
  await gateway?.close();
  await scene?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

afterEach(() => void vi.unstubAllEnvs());

/** Runs kubectl as Alice through the gateway. */
function run(args: string[], stdin = ''): Promise<KubectlResult> {
  return kubectl(scene.engine, args, { namespace: scene.namespace, kubeconfig, stdin });
}

async function works(args: string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await run(args, stdin);
  expect(code, stderr).toBe(0);
  return stdout;
}

interface Manifest {
  name: string;
  /** Quoted, because kubectl turns an unquoted 1.0 into 1 before it sends it. */
  version?: string;
  unquoted?: string;
  data: Record<string, string>;
  release?: 'auto' | 'manual' | 'locked';
}

function manifest({ name, version, unquoted, data, release }: Manifest): string {
  const lines = Object.entries(data).map(([key, value]) => `  ${key}: "${value}"`);
  return [
    'apiVersion: v1\nkind: ConfigMap\nmetadata:',
    `  name: ${name}`,
    ...(version === undefined ? [] : [`  version: "${version}"`]),
    ...(unquoted === undefined ? [] : [`  version: ${unquoted}`]),
    ...(release === undefined ? [] : [`  annotations: {${annotations.release}: ${release}}`]),
    'data:',
    ...lines,
    '',
  ].join('\n');
}

const apply = ['apply', '--filename', '-'];
const serverSide = ['apply', '--server-side', '--filename', '-'];
const replace = ['replace', '--filename', '-'];

async function versionsOf(name: string): Promise<Record<string, string>> {
  const { json } = await scene.ours('alice', `configmaps/${name}/versions`);
  const items: { metadata: { name: string }; state: string }[] = json.items ?? [];
  return Object.fromEntries(items.map(({ metadata, state }) => [metadata.name, state]));
}

async function content(name: string, version: string): Promise<unknown> {
  return (await scene.as('alice', 'GET', `configmaps/${name}/${version}`)).json.data;
}

const live = (name: string) => scene.client.get<ConfigBody>(configMaps, { namespace: scene.namespace, name });

async function becomes(name: string, expected: Record<string, string>): Promise<void> {
  await waitFor(`the versions of ${name}`, async () => {
    const found = await versionsOf(name);
    return JSON.stringify(found) === JSON.stringify(expected)
      ? { met: true }
      : { seen: JSON.stringify(found) };
  });
}

/** What nothing may change: the live config and its versions. */
async function unchanged(name: string, work: () => Promise<unknown>): Promise<void> {
  const before = [await live(name), await versionsOf(name)];
  await work();
  expect([await live(name), await versionsOf(name)]).toEqual(before);
}

test('kubectl apply releases a locked config version by version, and again changes nothing', async () => {
  const first = manifest({ name: 'locked', version: '1.0.0', data: { color: 'blue', a: '1' } });
  const second = manifest({ name: 'locked', version: '1.1', data: { color: 'red', b: '2' } });
  expect(await works(apply, first)).toContain('created');
  await becomes('locked', { '1.0.0': 'current' });
  await unchanged('locked', () => works(apply, first));
  expect(await works(apply, second)).toContain('configured');
  expect(await content('locked', '1.1')).toEqual({ color: 'red', b: '2' });
  expect(await versionsOf('locked')).toEqual({ '1.0.0': 'current', '1.1': 'not-current' });
  await unchanged('locked', () => works(apply, second));
  await scene.as('alice', 'PUT', 'configmaps/locked/current?wait=60s', { version: '1.1' });
  await waitFor('the config follows version 1.1', async () => {
    const { data } = await live('locked');
    return data?.['color'] === 'red' ? { met: true } : { seen: JSON.stringify(data) };
  });
  // kubectl computes its patches from the live config, whichever version that holds.
  const before = await versionsOf('locked');
  await works(apply, first);
  await works(apply, second);
  expect(await versionsOf('locked')).toEqual(before);
  const third = manifest({ name: 'locked', version: '1.2', data: { color: 'red' } });
  await works(apply, third);
  expect(await content('locked', '1.2')).toEqual({ color: 'red' });
});

test('kubectl apply with a field manager of the user is taken for what it is', async () => {
  const byManager = [...apply, '--field-manager', 'ci'];
  const first = manifest({ name: 'by-ci', version: '1.0', data: { color: 'blue', a: '1' } });
  await works(byManager, first);
  await becomes('by-ci', { '1.0': 'current' });
  await unchanged('by-ci', () => works(byManager, first));
  await works(byManager, manifest({ name: 'by-ci', version: '1.1', data: { color: 'blue', b: '2' } }));
  expect(await content('by-ci', '1.1')).toEqual({ color: 'blue', b: '2' });
  await scene.as('alice', 'PUT', 'configmaps/by-ci/current?wait=60s', { version: '1.1' });
  await waitFor('the config follows version 1.1', async () => {
    const { data } = await live('by-ci');
    return data?.['b'] === '2' ? { met: true } : { seen: JSON.stringify(data) };
  });
  const before = await versionsOf('by-ci');
  await works(byManager, first);
  expect(await versionsOf('by-ci')).toEqual(before);
  await works(byManager, manifest({ name: 'by-ci', version: '1.2', data: { c: '3' } }));
  expect(await content('by-ci', '1.2')).toEqual({ c: '3' });
});

test('a version with other content is refused, in every release mode', async () => {
  for (const release of [undefined, 'auto', 'manual'] as const) {
    const name = `taken-${release ?? 'locked'}`;
    const of = (color: string) =>
      manifest({ name, version: '1.0', data: { color }, ...(release && { release }) });
    await works(apply, of('blue'));
    await becomes(name, { '1.0': 'current' });
    for (const args of [apply, replace, [...serverSide, '--force-conflicts']])
      await unchanged(name, async () => {
        const { code, stderr } = await run(args, of('red'));
        expect(stderr).toContain(`version "1.0" of configmaps "${name}" already exists`);
        expect(code).toBe(1);
      });
  }
});

test.each([
  ['client-side', apply],
  ['server-side', [...serverSide, '--force-conflicts']],
  ['replace', replace],
] as const)(
  'kubectl apply of a config in release mode Auto rolls out the named version (%s)',
  async (how, args) => {
    const name = `auto-${how}`;
    const of = (version: string, color: string) =>
      manifest({ name, version, data: { color }, release: 'auto' });
    await works(apply, of('1.0', 'blue'));
    await becomes(name, { '1.0': 'current' });
    await works([...args], of('2.0', 'red'));
    expect(await content(name, '2.0')).toEqual({ color: 'red' });
    expect((await live(name)).data).toEqual({ color: 'red' });
    await becomes(name, { '1.0': 'not-current', '2.0': 'current' });
    const { resourceVersion } = (await live(name)).metadata;
    await works([...args], of('2.0', 'red'));
    // A replacement drops the labels of the controller, which sets them again.
    if (how !== 'replace') expect((await live(name)).metadata.resourceVersion).toBe(resourceVersion);
    await becomes(name, { '1.0': 'not-current', '2.0': 'current' });
    // The same content under another name is another version.
    await works([...args], of('3.0', 'red'));
    await becomes(name, { '1.0': 'not-current', '2.0': 'current', '3.0': 'not-current' });
    await works([...args], of('1.0', 'blue'));
    await becomes(name, { '1.0': 'current', '2.0': 'not-current', '3.0': 'not-current' });
    await works([...args], of('3.0', 'red'));
    await becomes(name, { '1.0': 'not-current', '2.0': 'not-current', '3.0': 'current' });
  },
);

test('kubectl apply of an unmanaged config adds the version that the manifest names', async () => {
  await works(['create', 'configmap', 'wild', '--from-literal=color=blue', '--save-config']);
  await works(apply, manifest({ name: 'wild', version: '1.1', data: { color: 'red' } }));
  await becomes('wild', { '1.0.0': 'not-current', '1.1': 'current' });
  // Without a version in the manifest, versions are named automatically again.
  await works(apply, manifest({ name: 'wild', data: { color: 'green' } }));
  await becomes('wild', { '1.0.0': 'not-current', '1.1': 'not-current', '1.0.1': 'current' });
});

test.each([
  ['client-side', apply],
  ['server-side', [...serverSide, '--force-conflicts']],
  ['replace', replace],
] as const)(
  'a manifest makes an unmanaged config managed in its release mode, and nothing is released (%s)',
  async (how, args) => {
    for (const release of ['manual', 'locked'] as const) {
      const name = `begun-${release}-${how}`;
      await works(['create', 'configmap', name, '--from-literal=color=blue', '--save-config']);
      const of = (version: string, color: string) => manifest({ name, version, data: { color }, release });
      for (const turn of ['red', 'red']) {
        await works([...args], of('1.1', turn));
        await becomes(name, { '1.0.0': 'current', '1.1': 'not-current' });
        expect((await live(name)).data).toEqual({ color: release === 'locked' ? 'blue' : turn });
      }
      await scene.as('alice', 'PUT', `configmaps/${name}/current?wait=60s`, { version: '1.1' });
      await becomes(name, { '1.0.0': 'not-current', '1.1': 'current' });
    }
  },
);

test('kubectl replace of unmanaged and of managed configs meets no conflict with the controller', async () => {
  for (let turn = 0; turn < 5; turn++) {
    const name = `at-once-${turn}`;
    await works(['create', 'configmap', name, '--from-literal=color=blue']);
    const of = (version: string, color: string) => manifest({ name, version, data: { color } });
    await works(replace, of('1.1', 'red'));
    await works(replace, of('1.2', 'green'));
    await becomes(name, { '1.0.0': 'not-current', '1.1': 'not-current', '1.2': 'current' });
  }
});

test('an unmanaged config keeps its content when its manifest begins to name the version', async () => {
  await works(apply, manifest({ name: 'named', data: { color: 'blue' } }));
  for (let turn = 0; turn < 2; turn++) {
    await works(apply, manifest({ name: 'named', version: 'spring', data: { color: 'blue' } }));
    await becomes('named', { spring: 'current' });
  }
});

test('kubectl apply --server-side creates a config with its first version', async () => {
  const first = manifest({ name: 'by-server', version: '1.0', data: { color: 'blue', a: '1' } });
  expect(await works(serverSide, first)).toContain('serverside-applied');
  await becomes('by-server', { '1.0': 'current' });
  await unchanged('by-server', () => works(serverSide, first));
  await works(serverSide, manifest({ name: 'by-server', version: '1.1', data: { color: 'red' } }));
  expect(await content('by-server', '1.1')).toEqual({ color: 'red' });
  const auto = manifest({ name: 'by-server-auto', version: '1.0', data: { color: 'blue' }, release: 'auto' });
  expect(await works(serverSide, auto)).toContain('serverside-applied');
  expect((await live('by-server-auto')).metadata.annotations).toMatchObject({ [annotations.version]: '1.0' });
  await becomes('by-server-auto', { '1.0': 'current' });
  await unchanged('by-server-auto', () => works(serverSide, auto));
  // The fields belong to kubectl apply.
  const next = auto.replace('color: "blue"', 'shape: "round"').replace('"1.0"', '"1.1"');
  await works(serverSide, next);
  await becomes('by-server-auto', { '1.0': 'not-current', '1.1': 'current' });
  expect((await live('by-server-auto')).data).toEqual({ shape: 'round' });
});

test('kubectl apply --server-side creates a config whose versions remain, unless its version has other content', async () => {
  const of = (version: string, color: string) =>
    manifest({ name: 'again', version, data: { color }, release: 'auto' });
  await works(serverSide, of('1.0', 'blue'));
  await becomes('again', { '1.0': 'current' });
  await works(['delete', 'configmap', 'again']);
  for (const dryRun of [['--dry-run=server'], []]) {
    const { code, stderr } = await run([...serverSide, ...dryRun], of('1.0', 'red'));
    expect(stderr).toContain('version "1.0" of configmaps "again" already exists');
    expect(code).toBe(1);
  }
  expect((await run(['get', 'configmap', 'again'])).stderr).toContain('NotFound');
  await works([...serverSide, '--dry-run=server'], of('1.1', 'red'));
  expect((await run(['get', 'configmap', 'again'])).stderr).toContain('NotFound');
  await works(serverSide, of('1.1', 'red'));
  await becomes('again', { '1.0': 'not-current', '1.1': 'current' });
});

test('kubectl apply --server-side requests the activation when versions of a deleted config remain', async () => {
  const of = (version: string, color: string) =>
    manifest({ name: 'again-manual', version, data: { color }, release: 'manual' });
  await works(serverSide, of('1.0', 'blue'));
  await becomes('again-manual', { '1.0': 'current' });
  await works(['delete', 'configmap', 'again-manual']);
  const planned = await run([...serverSide, '--dry-run=server'], of('1.1', 'red'));
  expect([planned.code, planned.stderr]).toEqual([
    0,
    expect.stringContaining('activation of version "1.1" will be requested'),
  ]);
  expect((await run(['get', 'configmap', 'again-manual'])).stderr).toContain('NotFound');
  const { code, stderr } = await run(serverSide, of('1.1', 'red'));
  expect([code, stderr]).toEqual([0, expect.stringContaining('activation of version "1.1" was requested')]);
  await becomes('again-manual', { '1.0': 'not-current', '1.1': 'current' });
});

test('kubectl replace adds a version of a locked config, and needs a config', async () => {
  const of = (version: string, color: string) => manifest({ name: 'replaced', version, data: { color } });
  const missing = await run(replace, of('1.0', 'blue'));
  expect(missing.stderr).toContain('(NotFound)');
  await works(['create', '--filename', '-'], of('1.0', 'blue'));
  await becomes('replaced', { '1.0': 'current' });
  expect(await works(replace, of('1.1', 'red'))).toContain('replaced');
  await unchanged('replaced', () => works(replace, of('1.1', 'red')));
  expect(await content('replaced', '1.1')).toEqual({ color: 'red' });
});

test('a version that the gateway returned can be sent back as the next one', async () => {
  const raw = (name: string) => `/api/v1/namespaces/${scene.namespace}/configmaps/${name}/current`;
  for (const release of [undefined, 'auto'] as const) {
    const name = `returned-${release ?? 'locked'}`;
    await works(
      apply,
      manifest({ name, version: '1.0', data: { color: 'blue' }, ...(release && { release }) }),
    );
    await becomes(name, { '1.0': 'current' });
    const current = await works(['get', '--raw', raw(name)]);
    await works(replace, current);
    await works(replace, current.replace('"1.0"', '"1.1"').replace('"blue"', '"red"'));
    expect(await content(name, '1.1')).toEqual({ color: 'red' });
    const after = await live(name);
    expect(after.immutable).toBeUndefined();
    expect(Object.keys(after.metadata.annotations ?? {})).not.toContain(annotations.object);
  }
});

test('kubectl edit and kubectl patch name versions as well', async () => {
  await works(apply, manifest({ name: 'edited', version: '1.0', data: { color: 'blue', a: '1' } }));
  await becomes('edited', { '1.0': 'current' });
  const editor = path.join(folder, 'editor');
  await writeFile(
    editor,
    '#!/bin/sh\nsed -i -e "s/color: blue/color: red/" -e "s/^  name: edited/&\\n  version: 1.1/" "$1"\n',
  );
  await chmod(editor, 0o700);
  vi.stubEnv('KUBE_EDITOR', editor);
  await works(['edit', 'configmap', 'edited']);
  expect(await content('edited', '1.1')).toEqual({ color: 'red', a: '1' });
  for (const type of ['merge', 'strategic']) {
    const patch = { metadata: { version: type }, data: { a: null, color: type } };
    await works(['patch', 'configmap', 'edited', '--type', type, '--patch', JSON.stringify(patch)]);
    expect(await content('edited', type)).toEqual({ color: type });
  }
  const operations = [
    { op: 'add', path: '/metadata/version', value: '1.2' },
    { op: 'replace', path: '/data/color', value: 'green' },
  ];
  const json = (name: string) =>
    run(['patch', 'configmap', name, '--type', 'json', '--patch', JSON.stringify(operations)]);
  expect((await json('edited')).stderr).toContain('a JSON patch cannot add a version in release mode Locked');
  await works(['create', 'configmap', 'bare', '--from-literal=color=blue']);
  expect((await json('bare')).stderr).toBe('');
  await becomes('bare', { '1.0.0': 'not-current', '1.2': 'current' });
});

test('kubectl diff and a dry run show the change and write nothing', async () => {
  for (const release of [undefined, 'auto'] as const) {
    const name = `compared-${release ?? 'locked'}`;
    const of = (version: string, color: string) =>
      manifest({ name, version, data: { color }, ...(release && { release }) });
    await works(apply, of('1.0', 'blue'));
    await becomes(name, { '1.0': 'current' });
    await unchanged(name, async () => {
      const { code, stdout } = await run(['diff', '--filename', '-'], of('1.1', 'red'));
      expect(stdout).toMatch(/-\s+color: blue\n\+\s+color: red/);
      expect(code).toBe(1);
      for (const args of [apply, serverSide, replace])
        await works(
          [...args, '--dry-run=server', ...(args === serverSide ? ['--force-conflicts'] : [])],
          of('1.1', 'red'),
        );
    });
  }
});

test('versions of Secrets are added in the same way', async () => {
  const of = (version: string, password: string) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', version },
      stringData: { password },
    });
  for (const [version, password] of [
    ['1.0', 'one'],
    ['1.1', 'two'],
    ['1.1', 'two'],
  ] as const)
    await works(apply, of(version, password));
  const { json } = await scene.as('alice', 'GET', 'secrets/login/1.1');
  expect(json.data).toEqual({ password: Buffer.from('two').toString('base64') });
  const { stderr } = await run(apply, of('1.1', 'three'));
  expect(stderr).toContain('version "1.1" of secrets "login" already exists');
});

test.each([
  ['current', 422, 'is reserved'],
  ['" x"', 422, 'white space'],
  ['', 400, 'must be a string, not null'],
  ['[1.1]', 400, 'must be a string, not a list'],
  ['{a: b}', 400, 'must be a string, not a map'],
])('a version %s is refused by every write', async (version, code, why) => {
  const name = 'guarded';
  await scene.as('alice', 'POST', 'configmaps/1.0.0', { metadata: { name }, data: { color: 'blue' } });
  const text = manifest({ name, unquoted: version, data: { color: 'red' } });
  await unchanged(name, async () => {
    for (const [method, where, contentType] of [
      ['POST', 'configmaps', 'application/yaml'],
      ['PUT', 'configmaps/guarded', 'application/yaml'],
      ['PATCH', 'configmaps/guarded?fieldManager=me', 'application/apply-patch+yaml'],
    ] as const) {
      const { status, json } = await scene.as('alice', method, where, text, { contentType });
      expect(json.message).toContain(why);
      expect(status).toBe(code);
    }
  });
});

test('an unquoted version is taken as it was written', async () => {
  await scene.as(
    'alice',
    'POST',
    'configmaps',
    manifest({ name: 'unquoted', unquoted: '1.10', data: { n: '0' } }),
    {
      contentType: 'application/yaml',
    },
  );
  for (const [n, written] of ['0x10', '1e3', 'true', '2026-11-18'].entries()) {
    const text = manifest({ name: 'unquoted', unquoted: written, data: { n: String(n + 1) } });
    const { status } = await scene.as('alice', 'PUT', 'configmaps/unquoted', text, {
      contentType: 'application/yaml',
    });
    expect(status).toBe(201);
  }
  const json = '{"metadata":{"name":"unquoted","version":1.20},"data":{"n":"9"}}';
  await scene.as('alice', 'PUT', 'configmaps/unquoted', json);
  const names = Object.keys(await versionsOf('unquoted'));
  expect(names).toEqual(['1.10', '0x10', '1e3', 'true', '2026-11-18', '1.20']);
});

test('a write of a locked config shows the config itself, and says what it does not store', async () => {
  await works(apply, manifest({ name: 'shown', version: '1.0', data: { color: 'blue' } }));
  const body = {
    metadata: { name: 'shown', version: '1.1', labels: { team: 'red' } },
    data: { color: 'red' },
  };
  const { status, json, headers } = await scene.as('alice', 'PUT', 'configmaps/shown', body);
  expect(status).toBe(201);
  const { uid } = (await live('shown')).metadata;
  expect(json).toMatchObject({ metadata: { name: 'shown', uid, version: '1.1' }, data: { color: 'red' } });
  expect(headers.get('warning')).toContain('not stored: team');
  const stale = { ...body, metadata: { ...body.metadata, version: '1.2', resourceVersion: '1' } };
  expect((await scene.as('alice', 'PUT', 'configmaps/shown', stale)).status).toBe(409);
});

test('a server-side apply of a locked config warns about keys that other field managers own', async () => {
  const applied = async (manager: string, version: string, data: Record<string, string>) => {
    const { status, text, headers } = await scene.as(
      'alice',
      'PATCH',
      `configmaps/divided?fieldManager=${manager}`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'divided', version }, data },
      { contentType: 'application/apply-patch+yaml' },
    );
    expect(status, text).toBe(201);
    return headers.get('warning')?.replaceAll('\\', '') ?? '';
  };
  const activated = async (version: string, key: string) => {
    await scene.as('alice', 'PUT', 'configmaps/divided/current?wait=60s', { version });
    await waitFor(`the config follows version ${version}`, async () => {
      const { data = {} } = await live('divided');
      return key in data ? { met: true } : { seen: JSON.stringify(data) };
    });
  };
  expect(await applied('first', '1.0', { a: '1', b: '1' })).toBe('');
  await becomes('divided', { '1.0': 'current' });
  expect(await applied('second', '1.1', { c: '1' })).toContain('("first") own: a, b;');
  expect(await applied('second', '1.2', { a: '1', b: '1', c: '1' })).toBe('');
  expect(await applied('first', '1.3', { a: '2', d: '1' })).toBe('');
  // The controller writes the content, and so owns what the first manager has applied.
  await activated('1.3', 'd');
  expect(await applied('second', '1.4', { a: '2' })).toContain('("first") own: d;');
  expect(await applied('first', '1.5', { a: '3' })).toBe('');
});

test('who may not edit a config adds no version to it', async () => {
  await works(apply, manifest({ name: 'kept', version: '1.0', data: { color: 'blue' }, release: 'auto' }));
  await becomes('kept', { '1.0': 'current' });
  const body = { metadata: { name: 'kept', version: '1.1' }, data: { color: 'red' } };
  await unchanged('kept', async () => {
    for (const who of ['bob', 'carol'] as const)
      for (const [method, contentType] of [
        ['PUT', 'application/json'],
        ['PATCH', 'application/merge-patch+json'],
      ] as const)
        expect((await scene.as(who, method, 'configmaps/kept', body, { contentType })).status).toBe(403);
  });
});

test('writes without a version are Kubernetes’ own', async () => {
  await works(['create', 'configmap', 'plain', '--from-literal=version=1']);
  const where = { namespace: scene.namespace, name: 'plain' };
  const patches: Patch[] = [
    { type: 'merge', body: { data: { version: '2' } } },
    { type: 'strategic', body: { metadata: { labels: { version: '2' } } } },
    { type: 'json', operations: [{ op: 'add', path: '/metadata/labels/version', value: '3' }] },
  ];
  const alice = await scene.engine.connect(scene.identityOf('alice'));
  for (const patch of patches) await alice.patch(configMaps, where, patch);
  await works(['label', 'configmap', 'plain', 'version=4', '--overwrite']);
  expect((await live('plain')).metadata.labels).toEqual({ version: '4' });
  expect((await versionsOf('plain'))['1.0.0']).toBe('current');
  expect((await scene.objects('configrollouts')).map(({ metadata }) => metadata.name)).not.toContain(
    'configmap-plain',
  );
});

test('a locked config that is applied again after it was deleted tells which version is current', async () => {
  const applied = (version: string, color: string) =>
    scene.as(
      'alice',
      'PATCH',
      'configmaps/returned?fieldManager=ci',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'returned', version }, data: { color } },
      { contentType: 'application/apply-patch+yaml' },
    );
  const first = await applied('1.0', 'blue');
  expect(first.json.metadata.annotations[labels.state]).toBe('current');
  await becomes('returned', { '1.0': 'current' });
  await scene.as('alice', 'DELETE', 'configmaps/returned');
  const second = await applied('2.0', 'red');
  expect(second.status, second.text).toBe(201);
  expect(second.json.metadata.annotations[labels.state]).toBe('not-current');
  expect(second.headers.get('warning')).toContain('1.0');
});

test('a token of the cluster gets no version by an edit that names one', async () => {
  const where = { namespace: scene.namespace, name: 'bootstrap' };
  const token = { metadata: where, type: 'bootstrap.kubernetes.io/token', data: { 'token-id': 'YWJjZGVm' } };
  await scene.client.create(secrets, token as ConfigBody);
  const before = await scene.client.get(secrets, where);
  const { status, json } = await scene.as(
    'alice',
    'PATCH',
    'secrets/bootstrap',
    { metadata: { version: '1.0' } },
    { contentType: 'application/merge-patch+json' },
  );
  expect([status, json.message]).toEqual([422, expect.stringContaining('bootstrap.kubernetes.io/token')]);
  expect(await scene.client.get(secrets, where)).toEqual(before);
});

test.each(['auto', 'locked'])('a token of the cluster is not created with a version, %s', async (release) => {
  const metadata = {
    name: `token-${release}`,
    version: '1.0',
    annotations: { [annotations.release]: release },
  };
  const { status, json } = await scene.as(
    'alice',
    'PATCH',
    `secrets/${metadata.name}?fieldManager=ci`,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      type: 'bootstrap.kubernetes.io/token',
      stringData: { a: 'b' },
    },
    { contentType: 'application/apply-patch+yaml' },
  );
  expect([status, json.message]).toEqual([422, expect.stringContaining('bootstrap.kubernetes.io/token')]);
  const created = await scene.objects('secrets');
  expect(created.map((each) => each.metadata.name)).not.toContain(metadata.name);
});
