import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { deleteAllVersions, deleteVersion } from '../../src/versions/writes/delete-versions.ts';
import { controllerIdentity } from '../controller/installed-manifests.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;

beforeAll(async () => {
  scene = await VersionsScene.start();
});

afterAll(() => scene?.close());

/** A config with the versions 1.0.0, which is current, a, b and c. */
async function four(name: string, kind: 'configmaps' | 'secrets' = 'configmaps'): Promise<void> {
  await scene.as('alice', 'POST', `${kind}/1.0.0`, { metadata: { name } });
  for (const version of ['a', 'b', 'c'])
    expect((await scene.as('alice', 'POST', `${kind}/${name}/${version}`, {})).status).toBe(201);
}

async function versionsOf(name: string, kind = 'configmaps'): Promise<string[]> {
  const { json } = await scene.ours('alice', `${kind}/${name}/versions`);
  return json.items.map((each: { metadata: { name: string } }) => each.metadata.name);
}

/** Sets the labels as the controller does. */
async function mark(config: string, version: string, marks: Record<string, string>): Promise<void> {
  const { json } = await scene.ours('alice', `configmaps/${config}/versions`);
  const line = json.items.find((each: { metadata: { name: string } }) => each.metadata.name === version);
  const where = { namespace: scene.namespace, name: line.object };
  const controller = await scene.engine.connect(controllerIdentity);
  await controller.patch(configMaps, where, { type: 'merge', body: { metadata: { labels: marks } } });
}

test('a version is deleted; the others and the config stay', async () => {
  await four('one');
  const { status, json } = await scene.as('alice', 'DELETE', 'configmaps/one/b');
  expect(json).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'one' } });
  expect(status).toBe(200);
  expect(await versionsOf('one')).toEqual(['1.0.0', 'a', 'c']);
  const again = await scene.as('alice', 'DELETE', 'configmaps/one/b');
  expect(again.json.message).toContain('has no version "b"');
  expect(again.status).toBe(404);
  await scene.client.get(configMaps, { namespace: scene.namespace, name: 'one' });
});

/** Writes the status as a controller does that rolls out this version. */
async function targeted(name: string, version: string): Promise<void> {
  const { json } = await scene.as('alice', 'GET', `configmaps/${name}/${version}`);
  const target = {
    version,
    object: json.metadata.annotations[annotations.object],
    contentHash: json.metadata.annotations[annotations.contentHash],
    activation: 'a-1',
    members: [`ConfigMap/${name}`],
    startedAt: '2026-01-01T00:00:00Z',
  };
  const where = { namespace: scene.namespace, name: `configmap-${name}` };
  const patch = { type: 'merge', body: { status: { target } } } as const;
  await scene.client.patch(configRollouts, where, patch, { subresource: 'status' });
}

test('the current version stays, and so does one that is being rolled out, wanted or in use', async () => {
  await four('kept');
  await targeted('kept', 'a');
  await mark('kept', 'b', { [labels.inUse]: 'true' });
  const where = { namespace: scene.namespace, name: 'configmap-kept' };
  await scene.client.patch(configRollouts, where, { type: 'merge', body: { spec: { version: 'c' } } });
  for (const [version, why] of [
    ['1.0.0', 'the version is current'],
    ['current', 'version "1.0.0" of configmaps "kept" cannot be deleted: the version is current'],
    ['a', 'being rolled out'],
    ['b', 'in use by pods, ReplicaSets or ControllerRevisions'],
    ['c', 'spec.version of the ConfigRollout requests the version'],
  ]) {
    const { status, json } = await scene.as('alice', 'DELETE', `configmaps/kept/${version}`);
    expect(json).toMatchObject({ reason: 'Conflict', details: { kind: 'configmaps', name: 'kept' } });
    expect(json.message).toContain(why);
    expect(status).toBe(409);
  }
  const all = await scene.as('alice', 'DELETE', 'configmaps/kept/');
  expect(all.json.deleted).toEqual([]);
  expect(all.json.kept.map(({ reason }: { reason: string }) => reason)).toEqual([
    'Current',
    'BeingCurrent',
    'InUse',
    'Wanted',
  ]);
  expect(await versionsOf('kept')).toEqual(['1.0.0', 'a', 'b', 'c']);
});

/** Requests a version, as another user does. */
async function request(config: string, version: string | null): Promise<void> {
  const where = { namespace: scene.namespace, name: `configmap-${config}` };
  await scene.client.patch(configRollouts, where, { type: 'merge', body: { spec: { version } } });
}

/** Alice's writer, for which a version is requested at this moment of the first deletion. */
async function requestedAt(moment: 'before the record' | 'while the guard denies', config: string) {
  const alice = await scene.engine.connect({ serviceAccount: 'alice', namespace: scene.namespace });
  let isRequested = false;
  const requestB = async () => {
    isRequested = true;
    await request(config, 'b');
  };
  const client: KubeClient = {
    get: (...args) => alice.get(...args),
    list: (...args) => alice.list(...args),
    watch: (...args) => alice.watch(...args),
    raw: (...args) => alice.raw(...args),
    create: (...args) => alice.create(...args),
    update: (...args) => alice.update(...args),
    async patch(...args) {
      if (moment === 'before the record' && !isRequested) await requestB();
      return alice.patch(...args);
    },
    async delete(resource, where, options) {
      if (moment === 'before the record' || isRequested) return alice.delete(resource, where, options);
      await requestB();
      throw new ApiError(422, { kind: 'Status', apiVersion: 'v1', reason: 'Invalid', code: 422 });
    },
  };
  return { client, fieldManager: 'test' };
}

test.each(['before the record', 'while the guard denies'] as const)(
  'a version that is requested during its deletion, %s, stays and can be activated and deleted',
  async (moment) => {
    const name = `raced-${moment.split(' ')[0]}`;
    await four(name);
    const address = { kind: 'ConfigMap', namespace: scene.namespace, name } as const;
    const options = { dryRun: false, preconditions: {} };
    const one = deleteVersion(await requestedAt(moment, name), address, 'b', options);
    await expect(one).rejects.toThrow('spec.version of the ConfigRollout requests the version');
    expect(await versionsOf(name)).toEqual(['1.0.0', 'a', 'b', 'c']);

    await request(name, null);
    const activated = await scene.as('alice', 'PUT', `configmaps/${name}/current`, { version: 'b' });
    expect(activated.status).toBe(202);
    await request(name, null);
    const writer = await requestedAt(moment, name);
    const all = await deleteAllVersions(writer, address, { dryRun: false });
    const [deleted, kept] = [all.deleted, all.kept].map((each) => each.map(({ version }) => version));
    expect([deleted, kept]).toEqual([
      ['a', 'c'],
      ['1.0.0', 'b'],
    ]);
    await request(name, null);
    const repeated = deleteVersion(await requestedAt('while the guard denies', name), address, 'b', options);
    await expect(repeated).rejects.toThrow('spec.version of the ConfigRollout requests the version');
    await request(name, null);
    expect((await scene.as('alice', 'DELETE', `configmaps/${name}/b`)).status).toBe(200);
    expect(await versionsOf(name)).toEqual(['1.0.0']);
  },
);

test('with a slash at the end all versions go but those that are needed, and each is accounted for', async () => {
  await four('all');
  await mark('all', 'b', { [labels.inUse]: 'true' });
  const { status, json } = await scene.as('alice', 'DELETE', 'configmaps/all/');
  expect(json).toMatchObject({
    kind: 'VersionDeletion',
    deleted: [{ version: 'a' }, { version: 'c' }],
    kept: [
      { version: '1.0.0', reason: 'Current' },
      { version: 'b', reason: 'InUse' },
    ],
  });
  expect(status).toBe(200);
  expect(await versionsOf('all')).toEqual(['1.0.0', 'b']);
  await scene.client.get(configMaps, { namespace: scene.namespace, name: 'all' });
});

test.each([
  ['in the query', '?dryRun=All', undefined],
  ['in the body, as kubectl does', '', { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] }],
])('a dry run asked for %s deletes nothing', async (_, query, body) => {
  const name = body === undefined ? 'dry-query' : 'dry-body';
  await four(name);
  expect((await scene.as('alice', 'DELETE', `configmaps/${name}/a${query}`, body)).status).toBe(200);
  const all = await scene.as('alice', 'DELETE', `configmaps/${name}/${query}`, body);
  expect(all.json.deleted).toHaveLength(3);
  expect(await versionsOf(name)).toEqual(['1.0.0', 'a', 'b', 'c']);
});

test('a precondition of the client holds', async () => {
  await four('precise');
  const body = { preconditions: { uid: 'another' } };
  const { status, json } = await scene.as('alice', 'DELETE', 'configmaps/precise/a', body);
  expect(json.reason).toBe('Conflict');
  expect(status).toBe(409);
});

test('the one version of a config that nobody manages stays', async () => {
  const config = configMap('wild', { color: 'blue' });
  config.metadata.namespace = scene.namespace;
  await scene.client.create(configMaps, config);
  expect((await scene.as('alice', 'DELETE', 'configmaps/wild/1.0.0')).status).toBe(409);
  expect((await scene.as('alice', 'DELETE', 'configmaps/wild/2.0.0')).status).toBe(404);
  const { json } = await scene.as('alice', 'DELETE', 'configmaps/wild/');
  expect(json).toMatchObject({ deleted: [], kept: [{ version: '1.0.0', reason: 'Current' }] });
  expect((await scene.as('alice', 'DELETE', 'configmaps/nowhere/')).status).toBe(404);
});

test.each(['configmaps', 'secrets'] as const)(
  'who may not delete %s deletes no version, and the audit log has their name',
  async (kind) => {
    await four('guarded', kind);
    const log = scene.engine.auditLog();
    const start = await log.mark();
    for (const who of ['bob', 'carol'] as const)
      for (const path of ['guarded/a', 'guarded/']) {
        const { status, json } = await scene.as(who, 'DELETE', `${kind}/${path}`);
        expect(json.reason).toBe('Forbidden');
        expect(status).toBe(403);
      }
    expect(await versionsOf('guarded', kind)).toEqual(['1.0.0', 'a', 'b', 'c']);
    await scene.as('alice', 'DELETE', `${kind}/guarded/a`);
    const deletes = (await log.since(start)).filter(
      ({ verb, namespace, code }) => verb === 'delete' && namespace === scene.namespace && code === 200,
    );
    expect(deletes.map(({ user }) => user)).toEqual([scene.usernameOf('alice')]);
  },
);

test.each(['PUT', 'PATCH'])('%s on a version is refused with the way to do it right', async (method) => {
  const { status, json, headers } = await scene.as('alice', method, 'configmaps/one/a', { data: {} });
  expect(json).toMatchObject({ reason: 'MethodNotAllowed', details: { kind: 'configmaps', name: 'one' } });
  expect(json.message).toContain('/configmaps/one/current');
  expect(status).toBe(405);
  expect(headers.get('allow')).toBe('GET, HEAD, POST, DELETE');
});
