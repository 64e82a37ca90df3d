import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;

beforeAll(async () => {
  scene = await VersionsScene.start();
});

afterAll(() => scene?.close());

function config(name: string, data: Record<string, string> = { color: 'blue' }, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

test('a config is born with its first version, which is current, and locked', async () => {
  const { status, json, headers } = await scene.as('alice', 'POST', 'configmaps/1.0.0', config('born'));
  expect(json).toMatchObject({
    kind: 'ConfigMap',
    metadata: { name: 'born', version: '1.0.0', annotations: { [labels.state]: 'current' } },
    data: { color: 'blue' },
  });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/api/v1/namespaces/${scene.namespace}/configmaps/born/1.0.0`);

  const where = { namespace: scene.namespace, name: 'born' };
  const live = await scene.client.get(configMaps, where);
  expect(live).toMatchObject({
    metadata: { labels: { [labels.config]: 'born' }, annotations: { [annotations.version]: '1.0.0' } },
    data: { color: 'blue' },
  });
  const rollout = await scene.client.get(configRollouts, { ...where, name: 'configmap-born' });
  expect(rollout).toMatchObject({ spec: { release: 'Locked', config: { kind: 'ConfigMap', name: 'born' } } });
  expect(rollout.metadata.annotations).toHaveProperty([annotations.ledger]);

  const read = await scene.as('bob', 'GET', 'configmaps/born/1.0.0');
  expect(read.json).toMatchObject({
    metadata: {
      version: '1.0.0',
      annotations: { [labels.state]: 'current', [annotations.createdBy]: scene.usernameOf('alice') },
    },
    immutable: true,
    data: { color: 'blue' },
  });
});

test('metadata.version in an ordinary POST does the same, in YAML as well', async () => {
  const yaml = 'metadata: {name: yaml, version: initial release}\ndata: {color: blue}\n';
  const { status, json } = await scene.as('alice', 'POST', 'configmaps', yaml, {
    contentType: 'application/yaml',
  });
  expect(json.metadata).toMatchObject({ name: 'yaml', version: 'initial release' });
  expect(status).toBe(201);
  const read = await scene.as('alice', 'GET', 'configmaps/yaml/initial%20release', undefined, {
    headers: { accept: 'application/yaml' },
  });
  expect(read.text).toContain('version: initial release\n');
});

test('a config that exists is not created again: the answer says how to add a version', async () => {
  await scene.as('alice', 'POST', 'configmaps/1.0.0', config('twice'));
  const { status, json } = await scene.as('alice', 'POST', 'configmaps/2.0.0', config('twice'));
  expect(json).toMatchObject({ reason: 'AlreadyExists', details: { kind: 'configmaps', name: 'twice' } });
  expect(json.message).toContain('/configmaps/twice/{version}');
  expect(status).toBe(409);
});

test('two people create the same config at once: one has it, the other is told, and no version is left over', async () => {
  const answers = await Promise.all(
    ['1.0.0', '2.0.0', '3.0.0'].map((version) =>
      scene.as('alice', 'POST', `configmaps/${version}`, config('race', { version })),
    ),
  );
  const [winner] = answers.filter(({ status }) => status === 201);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  const list = await scene.ours('alice', 'configmaps/race/versions');
  expect(list.json.items.map((each: { metadata: { name: string } }) => each.metadata.name)).toEqual([
    winner?.json.metadata.version,
  ]);
});

test('what a killed call began, the same call finishes', async () => {
  const { namespace, client } = scene;
  await scene.as('alice', 'POST', 'configmaps/first', config('killed'));
  // As if the gateway was killed before its last write, the config.
  await client.delete(configMaps, { namespace, name: 'killed' });
  const other = await scene.as('alice', 'POST', 'configmaps/first', config('killed', { color: 'red' }));
  expect(other.status).toBe(409);
  const again = await scene.as('alice', 'POST', 'configmaps/first', config('killed'));
  expect(again.status).toBe(201);
  expect((await scene.as('alice', 'GET', 'configmaps/killed/first')).json.data).toEqual({ color: 'blue' });
});

test('a config that was deleted comes back with a new version, and no old name gets other content', async () => {
  await scene.as('alice', 'POST', 'configmaps/1.0.0', config('back'));
  await scene.client.delete(configMaps, { namespace: scene.namespace, name: 'back' });
  const red = config('back', { color: 'red' });
  expect((await scene.as('alice', 'POST', 'configmaps/1.0.0', red)).status).toBe(409);
  expect((await scene.as('alice', 'POST', 'configmaps/2.0.0', red)).status).toBe(201);
});

test('a dry run checks everything and writes nothing', async () => {
  const before = await scene.objects('configmaps');
  const fine = await scene.as('alice', 'POST', 'configmaps/1.0.0?dryRun=All', config('dry'));
  expect(fine.json.metadata).toMatchObject({ name: 'dry', version: '1.0.0' });
  expect(fine.status).toBe(201);
  const bad = await scene.as('alice', 'POST', 'configmaps/1.0.0?dryRun=All', config('dry', { 'a/b': '' }));
  expect(bad.status).toBe(422);
  expect(await scene.objects('configmaps')).toEqual(before);
  const rollouts = await scene.objects('configrollouts');
  expect(rollouts.map(({ metadata }) => metadata.name)).not.toContain('configmap-dry');
});

test('the API server’s own limits are told in its own words, and no name is spent', async () => {
  const large = config('large', { a: 'x'.repeat(1_048_577) });
  const { status, json } = await scene.as('alice', 'POST', 'configmaps/1.0.0', large);
  expect(json.message).toContain('Too long: may not be more than 1048576 bytes');
  expect(status).toBe(422);
  expect((await scene.as('alice', 'POST', 'configmaps/1.0.0', config('large'))).status).toBe(201);
});

test('who may not create it gets the cluster’s own answer, and nothing is left behind', async () => {
  for (const who of ['bob', 'carol'] as const) {
    const { status, json } = await scene.as(who, 'POST', 'configmaps/1.0.0', config('forbidden'));
    expect(json).toMatchObject({ kind: 'Status', reason: 'Forbidden' });
    expect(json.message).toContain(scene.usernameOf(who));
    expect(status).toBe(403);
  }
  const names = [...(await scene.objects('configmaps')), ...(await scene.objects('configrollouts'))];
  expect(names.map(({ metadata }) => metadata.name).join()).not.toContain('forbidden');
});

test('a Secret is born the same way; its version keeps its type and is told apart', async () => {
  const secret = { metadata: { name: 'login' }, type: 'example.com/login', stringData: { password: 'one' } };
  const { status, json } = await scene.as('alice', 'POST', 'secrets/1.0.0', secret);
  expect(json).toMatchObject({ kind: 'Secret', type: 'example.com/login', data: { password: 'b25l' } });
  expect(status).toBe(201);
  const copy = await scene.client.get(secrets, {
    namespace: scene.namespace,
    name: json.metadata.annotations[annotations.object],
  });
  expect(copy).toMatchObject({ type: 'trimtab.dev/version', immutable: true });
  expect((await scene.as('alice', 'GET', 'secrets/login/1.0.0')).json.data).toEqual({ password: 'b25l' });
  expect((await scene.as('bob', 'GET', 'secrets/login/1.0.0')).status).toBe(403);
});

test.each(['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token', 'trimtab.dev/version'])(
  'a Secret of type %s has no versions',
  async (type) => {
    const { status, json } = await scene.as('alice', 'POST', 'secrets/1.0.0', {
      metadata: { name: 'no' },
      type,
    });
    expect(json).toMatchObject({ reason: 'Invalid', details: { causes: [{ field: 'type' }] } });
    expect(status).toBe(422);
  },
);

test('keys that JavaScript gives a meaning are keys like any other, up to the cluster and back', async () => {
  const body = '{"metadata":{"name":"proto"},"data":{"__proto__":"a","constructor":"b"}}';
  expect((await scene.as('alice', 'POST', 'configmaps/1.0.0', body)).status).toBe(201);
  const { text } = await scene.as('alice', 'GET', 'configmaps/proto/1.0.0');
  expect(text).toContain('"data":{"__proto__":"a","constructor":"b"}');
});

test('the audit log names the person as the writer of everything, and never the gateway', async () => {
  const log = scene.engine.auditLog();
  const mark = await log.mark();
  await scene.as('alice', 'POST', 'configmaps/1.0.0?fieldManager=alices-tool', config('audited'));
  const writes = (await log.since(mark)).filter(
    ({ namespace, resource, verb, dryRun }) =>
      namespace === scene.namespace &&
      resource !== 'serviceaccounts' &&
      !dryRun &&
      !['get', 'list', 'watch'].includes(verb),
  );
  expect(writes.map(({ verb, resource, user }) => [verb, resource, user])).toEqual([
    ['create', 'configrollouts', scene.usernameOf('alice')],
    ['create', 'configmaps', scene.usernameOf('alice')],
    ['create', 'configmaps', scene.usernameOf('alice')],
  ]);
  const live = await scene.client.get(configMaps, { namespace: scene.namespace, name: 'audited' });
  expect(live.metadata).toMatchObject({ managedFields: [{ manager: 'alices-tool' }] });
});
