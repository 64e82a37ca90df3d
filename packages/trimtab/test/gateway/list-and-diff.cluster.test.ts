import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SecretHashes } from '../support/secret-hashes.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;

beforeAll(async () => {
  scene = await VersionsScene.start();
  await scene.as('alice', 'POST', 'configmaps/1.0.0', {
    metadata: { name: 'foo' },
    data: { 'app.conf': 'color=blue\nsize=1\n' },
    binaryData: { logo: 'AAEC' },
  });
  await scene.as('alice', 'POST', 'configmaps/foo/a%20b', { data: { 'app.conf': 'color=red\nsize=1\n' } });
  await scene.as('alice', 'POST', 'secrets/1.0.0', {
    metadata: { name: 'login' },
    stringData: { user: 'alice', password: 'hunter2' },
  });
  await scene.as('alice', 'POST', 'secrets/login/2.0.0', {
    stringData: { user: 'alice', password: 'hunter3' },
  });
  const wild = configMap('wild', { color: 'blue' });
  wild.metadata.namespace = scene.namespace;
  await scene.client.create(configMaps, wild);
});

afterAll(() => scene?.close());

const json = { accept: 'application/json, */*' };

test('the versions of a config are listed in the order of their birth', async () => {
  const { status, json: list } = await scene.ours('bob', 'configmaps/foo/versions');
  expect(status).toBe(200);
  expect(list).toMatchObject({
    kind: 'VersionList',
    apiVersion: 'trimtab.dev/v1alpha1',
    items: [
      { metadata: { name: '1.0.0' }, sequence: 1, state: 'current', inUse: false },
      { metadata: { name: 'a b' }, sequence: 2, state: 'not-current', createdBy: scene.usernameOf('alice') },
    ],
  });
  expect(list.items[0].metadata.creationTimestamp).toMatch(/^\d{4}-/);
});

test('kubectl’s Accept header gets a Table', async () => {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
  const { json: table } = await scene.ours('bob', 'configmaps/foo/versions', { accept });
  expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
  expect(table.columnDefinitions.map(({ name }: { name: string }) => name).slice(0, 4)).toEqual([
    'Version',
    'State',
    'Sequence',
    'In-Use',
  ]);
  expect(table.rows.map(({ cells }: { cells: unknown[] }) => cells.slice(0, 4))).toEqual([
    ['1.0.0', 'current', 1, 'no'],
    ['a b', 'not-current', 2, 'no'],
  ]);
});

test('a config that nobody manages has one version, and nothing is written to say so', async () => {
  const log = scene.engine.auditLog();
  const mark = await log.mark();
  const { json: list } = await scene.ours('bob', 'configmaps/wild/versions');
  expect(list.items).toMatchObject([{ metadata: { name: '1.0.0' }, state: 'current', object: 'wild' }]);
  const diff = await scene.ours('bob', 'configmaps/wild/versions/current/diff/1.0.0');
  expect([diff.status, diff.text]).toEqual([200, '']);
  const entries = (await log.since(mark)).filter(
    ({ namespace, resource }) => namespace === scene.namespace && resource !== 'serviceaccounts',
  );
  expect(new Set(entries.map(({ verb }) => verb))).toEqual(new Set(['get', 'list']));
});

test('a diff is unified text, also from current', async () => {
  const { status, text, headers } = await scene.ours('bob', 'configmaps/foo/versions/current/diff/a%20b');
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text).toContain('Only in foo/1.0.0/binaryData/logo (3 bytes, sha256:');
  expect(text).toContain(
    '--- foo/1.0.0/data/app.conf\n+++ foo/a b/data/app.conf\n@@ -1,2 +1,2 @@\n-color=blue\n+color=red\n size=1\n',
  );
  expect(status).toBe(200);
});

test('a diff is JSON for those who accept it', async () => {
  const { json: diff } = await scene.ours('bob', 'configmaps/foo/versions/1.0.0/diff/a%20b', json);
  expect(diff).toMatchObject({
    kind: 'VersionDiff',
    from: '1.0.0',
    to: 'a b',
    masked: false,
    added: [],
    removed: [{ field: 'binaryData', key: 'logo', from: { bytes: 3 } }],
    changed: [{ field: 'data', key: 'app.conf' }],
  });
});

test('the diff of a Secret tells which keys changed, and their values only when asked', async () => {
  for (const headers of [{}, json]) {
    const { text, status } = await scene.ours('alice', 'secrets/login/versions/1.0.0/diff/2.0.0', headers);
    expect(status).toBe(200);
    expect(text).toContain('password');
    expect(text).not.toMatch(/hunter|aHVudGVy/);
  }
  const path = 'secrets/login/versions/1.0.0/diff/current?show-values=true';
  expect((await scene.ours('alice', path)).text).toBe('');
  const shown = await scene.ours('alice', 'secrets/login/versions/1.0.0/diff/2.0.0?show-values=true');
  expect(shown.text).toContain('-hunter2\n+hunter3\n');
});

test('neither a list nor a diff nor a metric holds a hash of a Secret', async () => {
  const { client, namespace, gateway } = scene;
  const hashes = SecretHashes.of((await client.list(secrets, { namespace })).items);
  const texts: Record<string, string> = { metrics: await gateway.metrics() };
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  for (const path of ['secrets/login/versions', 'secrets/login/versions/1.0.0/diff/2.0.0'])
    for (const headers of [{}, json, table]) {
      const { status, text, headers: sent } = await scene.ours('alice', path, headers);
      expect(status).toBe(200);
      texts[`${path} as ${Object.values(headers)}`] = text + JSON.stringify([...sent]);
    }
  expect(hashes.among(texts)).toEqual([]);
});

test.each([
  ['secrets/login/versions', 'bob'],
  ['secrets/login/versions/1.0.0/diff/2.0.0', 'bob'],
  ['secrets/login/versions/1.0.0/diff/2.0.0?show-values=true', 'bob'],
  ['configmaps/foo/versions', 'carol'],
  ['configmaps/foo/versions/1.0.0/diff/current', 'carol'],
] as const)('%s is not for %s', async (path, who) => {
  const { status, json: refusal, text } = await scene.ours(who, path);
  expect(refusal.reason).toBe('Forbidden');
  expect(status).toBe(403);
  expect(text).not.toContain('hunter');
});

test.each([
  ['configmaps/nowhere/versions', 404, 'configmaps "nowhere" not found'],
  ['configmaps/foo/versions/1.0.0/diff/x', 404, 'has no version "x"'],
  ['configmaps/wild/versions/1.0.0/diff/2.0.0', 404, 'is not managed by Trimtab'],
  ['configmaps/F%20o/versions', 400, 'not a valid object name'],
  ['secrets/login/versions/1.0.0/diff/2.0.0?show-values=yes', 400, 'show-values must be true or false'],
])('%s is a %i', async (path, code, why) => {
  const { status, json: refusal } = await scene.ours('alice', path);
  expect(refusal.message).toContain(why);
  expect(status).toBe(code);
});

test('versions of Secrets can be told from other Secrets by their type', async () => {
  const fieldSelector = 'type=trimtab.dev/version';
  const { items } = await scene.client.list(secrets, { namespace: scene.namespace, fieldSelector });
  expect(items).toHaveLength(2);
});
