import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;

beforeAll(async () => {
  scene = await VersionsScene.start();
});

afterAll(() => scene?.close());

/** Creates a config with the single version 1.0.0. */
async function born(name: string): Promise<void> {
  const body = { metadata: { name }, data: { color: 'blue' } };
  expect((await scene.as('alice', 'POST', 'configmaps/1.0.0', body)).status).toBe(201);
}

async function unmanaged(name: string, mod: (config: ReturnType<typeof configMap>) => void = () => {}) {
  const config = configMap(name, { color: 'blue' });
  config.metadata.namespace = scene.namespace;
  mod(config);
  await scene.client.create(configMaps, config);
}

async function versionsOf(path: string): Promise<string[]> {
  const { json } = await scene.ours('alice', `${path}/versions`);
  return json.items.map((each: { metadata: { name: string } }) => each.metadata.name);
}

test('a version is added under the name that its author chose, and not activated', async () => {
  await born('chosen');
  const { status, json } = await scene.as('alice', 'POST', 'configmaps/chosen/summer%20sale', {
    data: { color: 'red' },
  });
  expect(json.metadata).toMatchObject({
    name: 'chosen',
    version: 'summer sale',
    annotations: { [labels.state]: 'not-current', [annotations.createdBy]: scene.usernameOf('alice') },
  });
  expect(status).toBe(201);
  const read = await scene.as('bob', 'GET', 'configmaps/chosen/summer%20sale');
  expect(read.json.data).toEqual({ color: 'red' });
  const alias = await scene.gateway.call(scene.identityOf('bob'), {
    path: `/api/version/namespaces/${scene.namespace}/configmaps/chosen/summer%20sale`,
  });
  expect(alias.json).toEqual(read.json);
  const live = await scene.client.get(configMaps, { namespace: scene.namespace, name: 'chosen' });
  expect(live).toMatchObject({ data: { color: 'blue' } });
});

test('without a name it counts on, past names that people chose', async () => {
  await born('counted');
  const add = async (path: string, metadata = {}) =>
    (await scene.as('alice', 'POST', path, { metadata, data: { path } })).json.metadata.version;
  expect(await add('configmaps/counted/1.0.2')).toBe('1.0.2');
  expect(await add('configmaps/counted')).toBe('1.0.3');
  const labelSelector = `${labels.config}=counted,${labels.version}=1.0.2`;
  const { items } = await scene.client.list(configMaps, { namespace: scene.namespace, labelSelector });
  expect(items, 'kubectl finds it by its label').toHaveLength(1);
  expect(await add('configmaps/counted/', { name: 'counted' })).toBe('1.0.4');
  expect(await add('configmaps/counted/1.0.1'), 'a lower name that was never used is free').toBe('1.0.1');
  expect(await add('configmaps/counted', { name: 'counted', version: 'mine' })).toBe('mine');
});

test('the same content may have two names', async () => {
  await born('alike');
  const body = { data: { color: 'blue' } };
  expect((await scene.as('alice', 'POST', 'configmaps/alike/again', body)).status).toBe(201);
  expect((await scene.as('alice', 'POST', 'configmaps/alike', body)).json.metadata.version).toBe('1.0.1');
  expect(await versionsOf('configmaps/alike')).toEqual(['1.0.0', 'again', '1.0.1']);
});

test('a name that exists is refused with when and by whom, and one that existed with that it did', async () => {
  await born('reused');
  const body = { data: { color: 'red' } };
  await scene.as('alice', 'POST', 'configmaps/reused/a', body);
  const exists = await scene.as('alice', 'POST', 'configmaps/reused/a', body);
  expect(exists.json).toMatchObject({ reason: 'AlreadyExists', code: 409, details: { name: 'reused' } });
  expect(exists.json.message).toMatch(
    /already exists, created at \d{4}-.* by system:serviceaccount:.*:alice/,
  );
  expect((await scene.as('alice', 'DELETE', 'configmaps/reused/a')).status).toBe(200);
  const existed = await scene.as('alice', 'POST', 'configmaps/reused/a', body);
  expect(existed.json.message).toContain('existed before and was deleted');
  expect(existed.status).toBe(409);
});

test.each(['configmaps/reserved/current', 'configmaps/current'])(
  'the name current is refused: POST %s',
  async (path) => {
    const { status, json } = await scene.as('alice', 'POST', path, { metadata: { name: 'reserved' } });
    expect(json).toMatchObject({ reason: 'Invalid', details: { causes: [{ field: 'metadata.version' }] } });
    expect(status).toBe(422);
  },
);

test('a config that nobody managed gets what it holds as 1.0.0 first, by the hand of the caller', async () => {
  await unmanaged('wild');
  expect(await versionsOf('configmaps/wild')).toEqual(['1.0.0']);
  const { status, json } = await scene.as('alice', 'POST', 'configmaps/wild', { data: { color: 'red' } });
  expect(json.metadata.version).toBe('1.0.1');
  expect(status).toBe(201);
  const { json: list } = await scene.ours('alice', 'configmaps/wild/versions');
  expect(list.items).toMatchObject([
    { metadata: { name: '1.0.0' }, state: 'current', sequence: 1, createdBy: scene.usernameOf('alice') },
    { metadata: { name: '1.0.1' }, state: 'not-current', sequence: 2, madeByHand: true },
  ]);
  const rollout = await scene.client.get(configRollouts, {
    namespace: scene.namespace,
    name: 'configmap-wild',
  });
  // The config was not created with a version, so it is not locked and can still be edited.
  expect(rollout).toMatchObject({ spec: { release: 'Auto' } });
});

test('its baseline has the name that its annotation says, and nobody takes it', async () => {
  await unmanaged('named', ({ metadata }) => {
    metadata.annotations = { [annotations.version]: 'spring' };
  });
  const taken = await scene.as('alice', 'POST', 'configmaps/named/spring', { data: { color: 'red' } });
  expect(taken.status).toBe(409);
  await scene.as('alice', 'POST', 'configmaps/named/summer', { data: { color: 'red' } });
  expect(await versionsOf('configmaps/named')).toEqual(['spring', 'summer']);
});

test('a refused version of a config that nobody manages leaves it as it was', async () => {
  await unmanaged('untouched');
  for (const [who, data, expected] of [
    ['alice', { 'a/b': '' }, 422],
    ['bob', { a: '' }, 403],
  ] as const)
    expect((await scene.as(who, 'POST', 'configmaps/untouched/x', { data })).status).toBe(expected);
  expect((await scene.as('alice', 'POST', 'configmaps/untouched/1.0.0', { data: {} })).status).toBe(409);
  expect((await scene.as('alice', 'POST', 'configmaps/untouched/x?dryRun=All', { data: {} })).status).toBe(
    201,
  );
  const rollouts = await scene.objects('configrollouts');
  expect(rollouts.map(({ metadata }) => metadata.name)).not.toContain('configmap-untouched');
});

test('a config that does not exist has no versions to add to', async () => {
  const { status, json } = await scene.as('alice', 'POST', 'configmaps/nowhere/1.0.0', { data: {} });
  expect(json).toMatchObject({ reason: 'NotFound', details: { kind: 'configmaps', name: 'nowhere' } });
  expect(json.message).toContain('create it with its first version');
  expect(status).toBe(404);
});

test('many people add versions at once: each gets a name of their own', async () => {
  await born('busy');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      scene.as('alice', 'POST', 'configmaps/busy', { data: { index: String(index) } }),
    ),
  );
  const names = answers.map(({ json }) => json.metadata.version).sort();
  expect(names).toEqual(Array.from({ length: 8 }, (_, index) => `1.0.${index + 1}`));
  const { json } = await scene.ours('alice', 'configmaps/busy/versions');
  const sequences = json.items.map((each: { sequence: number }) => each.sequence);
  expect(new Set(sequences).size).toBe(9);
});

test('a ledger that somebody broke gives no name out twice', async () => {
  await born('broken');
  await scene.as('alice', 'POST', 'configmaps/broken/mine', { data: { color: 'red' } });
  const where = { namespace: scene.namespace, name: 'configmap-broken' };
  const body = { metadata: { annotations: { [annotations.ledger]: 'nonsense' } } };
  await scene.client.patch(configRollouts, where, { type: 'merge', body });
  const add = (path: string) => scene.as('alice', 'POST', path, { data: { color: 'green' } });
  expect((await add('configmaps/broken/mine')).status).toBe(409);
  expect((await add('configmaps/broken')).json.metadata.version).toBe('1.0.1');
});

test('a version of a Secret has the type of the Secret, and no other', async () => {
  const secret = { metadata: { name: 'typed' }, type: 'example.com/login', stringData: { a: 'one' } };
  await scene.as('alice', 'POST', 'secrets/1.0.0', secret);
  const { json } = await scene.as('alice', 'POST', 'secrets/typed', { stringData: { a: 'two' } });
  expect(json).toMatchObject({ type: 'example.com/login', data: { a: 'dHdv' } });
  const other = await scene.as('alice', 'POST', 'secrets/typed', { type: 'Opaque' });
  expect(other.json).toMatchObject({ reason: 'Invalid', details: { causes: [{ field: 'type' }] } });
  expect(other.status).toBe(422);
  const copies = (await scene.client.list(secrets, { namespace: scene.namespace })).items;
  const versions = copies.filter(({ metadata }) => metadata.labels?.[labels.config] === 'typed');
  expect(versions).toHaveLength(3);
});

test('who may read a Secret but not update it adds no version to it', async () => {
  await scene.as('alice', 'POST', 'secrets/1.0.0', { metadata: { name: 'kept' }, stringData: { a: 'one' } });
  for (const who of ['bob', 'carol'] as const) {
    const { status, json } = await scene.as(who, 'POST', 'secrets/kept/x', { stringData: { a: 'two' } });
    expect(json.reason).toBe('Forbidden');
    expect(status).toBe(403);
  }
  expect(await versionsOf('secrets/kept')).toEqual(['1.0.0']);
});

test('a version is no config: nothing is added to it', async () => {
  await born('parent');
  const { json } = await scene.as('alice', 'GET', 'configmaps/parent/1.0.0');
  const copy = json.metadata.annotations[annotations.object];
  const { status, json: refusal } = await scene.as('alice', 'POST', `configmaps/${copy}`, { data: {} });
  expect(refusal.message).toContain('is itself a version');
  expect(status).toBe(400);
});

test('what a version does not keep, its author is told', async () => {
  await born('warned');
  const { headers } = await scene.as('alice', 'POST', 'configmaps/warned', {
    metadata: { labels: { team: 'red' } },
    colour: 'red',
  });
  expect(headers.get('warning')).toContain('unknown field \\"colour\\"');
  expect(headers.get('warning')).toContain('not stored: team');
  const strict = await scene.as('alice', 'POST', 'configmaps/warned?fieldValidation=Strict', {
    colour: 'red',
  });
  expect(strict.json.message).toContain('strict decoding error: unknown field "colour"');
  expect(strict.status).toBe(400);
});

test('the audit log names the person as the writer of everything, and never the gateway', async () => {
  await unmanaged('audited');
  const log = scene.engine.auditLog();
  const mark = await log.mark();
  await scene.as('alice', 'POST', 'configmaps/audited/x', { data: { color: 'red' } });
  const entries = (await log.since(mark)).filter(
    ({ namespace, resource }) => namespace === scene.namespace && resource !== 'serviceaccounts',
  );
  expect(new Set(entries.map(({ user }) => user))).toEqual(new Set([scene.usernameOf('alice')]));
  const writes = entries.filter(({ verb, dryRun }) => !dryRun && verb !== 'get' && verb !== 'list');
  expect(writes.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
    'create configrollouts',
    'create configmaps',
    'create configmaps',
  ]);
});

describe.each([
  'kubernetes.io/service-account-token',
  'bootstrap.kubernetes.io/token',
  'trimtab.dev/version',
])('a live Secret of type %s', (type) => {
  const name = type.replace(/[^a-z]/g, '-');

  async function live(name: string): Promise<void> {
    const annotations = { 'kubernetes.io/service-account.name': 'alice' };
    const metadata = { name, namespace: scene.namespace, annotations };
    await scene.client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, type } as KubeObject);
  }

  /** Neither its content nor other content becomes a version, whichever way the request is sent. */
  async function hasNoVersions(name: string): Promise<void> {
    const before = [await scene.objects('secrets'), await scene.objects('configrollouts')].map(namesOf);
    for (const path of ['', '/', '/2.0.0', '?dryRun=All', '/2.0.0?dryRun=All'])
      for (const body of [{}, { type }, { stringData: { token: 'mine' } }]) {
        const { status, json } = await scene.as('alice', 'POST', `secrets/${name}${path}`, body);
        expect(json, path).toMatchObject({ reason: 'Invalid', details: { causes: [{ field: 'type' }] } });
        expect(json.message).toContain(
          `type: Invalid value: "${type}": Secrets of this type cannot have versions`,
        );
        expect(status).toBe(422);
      }
    expect([await scene.objects('secrets'), await scene.objects('configrollouts')].map(namesOf)).toEqual(
      before,
    );
  }

  test('gets no version, whatever type the request has, and no ConfigRollout', async () => {
    await live(name);
    await hasNoVersions(name);
  });

  test('gets no version when a Secret of its name had some', async () => {
    await scene.as('alice', 'POST', 'secrets/1.0.0', { metadata: { name: `${name}-later` } });
    await scene.client.delete(secrets, { namespace: scene.namespace, name: `${name}-later` });
    await live(`${name}-later`);
    await hasNoVersions(`${name}-later`);
  });
});

const namesOf = (objects: KubeObject[]) => objects.map(({ metadata }) => metadata.name);
