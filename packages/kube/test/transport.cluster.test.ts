import { randomBytes } from 'node:crypto';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeClient } from '../src/client.ts';
import { configMaps, deployments, namespaces, pods, type Resource } from '../src/resource.ts';
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from '../src/transport/errors.ts';
import type { KubeObject } from '../src/wire.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

let engine: Engine;
let client: KubeClient;
let namespace: string;

beforeAll(async () => {
  engine = await currentEngine();
  client = await engine.connect();
  namespace = await engine.namespace();
});

afterAll(() => engine?.close());

function configMap(data: Record<string, string> = { color: 'blue' }): ConfigMap {
  return { metadata: { namespace, name: `cm-${randomBytes(4).toString('hex')}` }, data };
}

async function created(data?: Record<string, string>) {
  const object = await client.create<ConfigMap>(configMaps, configMap(data));
  return { object, key: { namespace, name: object.metadata.name ?? '' } };
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it should have been refused'),
    (error: unknown) => error,
  );

describe('objects', () => {
  test('are created, read, updated and deleted', async () => {
    const { object, key } = await created();
    expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { color: 'blue' } });
    const updated = await client.update<ConfigMap>(configMaps, { ...object, data: { color: 'red' } });
    expect(updated.metadata.resourceVersion).not.toBe(object.metadata.resourceVersion);
    expect((await client.get<ConfigMap>(configMaps, key)).data).toEqual({ color: 'red' });
    await client.delete(configMaps, key);
    const error = await failure(client.get(configMaps, key));
    expect(isNotFound(error)).toBe(true);
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 404,
      reason: 'NotFound',
      body: { kind: 'Status' },
    });
  });

  test('that exist are not created again', async () => {
    const { key } = await created();
    expect(isAlreadyExists(await failure(client.create(configMaps, { metadata: key })))).toBe(true);
  });

  test('get a name of their own when asked', async () => {
    const nameless: ConfigMap = { metadata: { namespace, generateName: 'made-' } };
    const object = await client.create(configMaps, nameless);
    expect(object.metadata.name).toMatch(/^made-./);
  });

  test('that changed meanwhile are not overwritten', async () => {
    const { object } = await created();
    await client.update(configMaps, { ...object, data: { color: 'red' } });
    const error = await failure(client.update(configMaps, { ...object, data: { color: 'green' } }));
    expect(isConflict(error)).toBe(true);
    expect(isAlreadyExists(error)).toBe(false);
  });

  test('that are wrong are refused field by field', async () => {
    const object = { metadata: { namespace, name: 'Not_A_Name' }, data: { 'no/slash': 'x' } };
    const error = await failure(client.create(configMaps, object));
    expect(error).toMatchObject({ name: 'ApiError', status: 422, reason: 'Invalid' });
    const fields = (error as { body: { details: { causes: { field: string }[] } } }).body.details.causes;
    expect(fields.map(({ field }) => field).sort()).toEqual(['data[no/slash]', 'metadata.name']);
  });

  test('of a kind that is not served are not found', async () => {
    const widgets: Resource = {
      group: 'example.org',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
    };
    expect(isNotFound(await failure(client.list(widgets)))).toBe(true);
  });

  test('are not touched by a dry run', async () => {
    const object = configMap();
    const key = { namespace, name: object.metadata.name ?? '' };
    expect((await client.create(configMaps, object, { dryRun: true })).metadata.uid).toBeDefined();
    expect(isNotFound(await failure(client.get(configMaps, key)))).toBe(true);
    const { key: real } = await created();
    await client.patch(
      configMaps,
      real,
      { type: 'merge', body: { data: { color: 'red' } } },
      { dryRun: true },
    );
    await client.delete(configMaps, real, { dryRun: true });
    expect((await client.get<ConfigMap>(configMaps, real)).data).toEqual({ color: 'blue' });
  });
});

describe('patches', () => {
  test('json, with a test that guards it', async () => {
    const { key } = await created();
    const replace = { op: 'replace', path: '/data/color', value: 'red' } as const;
    const guard = { op: 'test', path: '/data/color', value: 'blue' } as const;
    const patched = await client.patch<ConfigMap>(configMaps, key, {
      type: 'json',
      operations: [guard, replace],
    });
    expect(patched.data).toEqual({ color: 'red' });
    const again = client.patch(configMaps, key, { type: 'json', operations: [guard, replace] });
    expect(await failure(again)).toMatchObject({ status: 422 });
  });

  test('merge', async () => {
    const { key } = await created({ color: 'blue', size: 'large' });
    const body = { data: { color: null, shape: 'round' } };
    const patched = await client.patch<ConfigMap>(configMaps, key, { type: 'merge', body });
    expect(patched.data).toEqual({ size: 'large', shape: 'round' });
  });

  test('strategic, which merges containers by name', async () => {
    const labels = { app: 'web' };
    const container = { name: 'web', image: 'web:1', env: [{ name: 'A', value: '1' }] };
    const deployment: KubeObject & { spec: object } = {
      metadata: { namespace, name: 'web' },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    };
    await client.create(deployments, deployment);
    const containers = [{ name: 'web', env: [{ name: 'B', value: '2' }] }];
    const body = { spec: { template: { spec: { containers } } } };
    const patched = await client.patch(deployments, { namespace, name: 'web' }, { type: 'strategic', body });
    expect(patched).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                image: 'web:1',
                env: expect.arrayContaining([
                  { name: 'A', value: '1' },
                  { name: 'B', value: '2' },
                ]),
              },
            ],
          },
        },
      },
    });
  });

  test('apply, which meets other owners, and overrules them when told', async () => {
    const { key } = await created();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { color: 'red' } };
    const fieldManager = 'somebody';
    const error = await failure(client.patch(configMaps, key, { type: 'apply', body }, { fieldManager }));
    expect(isConflict(error)).toBe(true);
    const forced = { type: 'apply', body, force: true } as const;
    expect((await client.patch<ConfigMap>(configMaps, key, forced, { fieldManager })).data).toEqual({
      color: 'red',
    });
  });

  test('of the status alone', async () => {
    const key = { namespace, name: 'pod' };
    const spec = { containers: [{ name: 'a', image: 'a' }], nodeName: `nowhere-${namespace}` };
    const pod: KubeObject & { spec: object } = { metadata: key, spec };
    await client.create(pods, pod);
    const body = { status: { message: 'hello' } };
    const patched = await client.patch(pods, key, { type: 'merge', body }, { subresource: 'status' });
    expect(patched).toMatchObject({ status: { message: 'hello' } });
    await client.delete(pods, key, { gracePeriodSeconds: 0 });
  });
});

describe('a delete', () => {
  test('of another object of that name, or of another version of it, is refused', async () => {
    const { object, key } = await created();
    const other = { uid: '00000000-0000-0000-0000-000000000000' };
    expect(isConflict(await failure(client.delete(configMaps, key, { preconditions: other })))).toBe(true);
    const stale = { resourceVersion: object.metadata.resourceVersion ?? '' };
    await client.patch(configMaps, key, { type: 'merge', body: { data: { color: 'red' } } });
    expect(isConflict(await failure(client.delete(configMaps, key, { preconditions: stale })))).toBe(true);
    await client.delete(configMaps, key, { preconditions: { uid: object.metadata.uid ?? '' } });
    expect(isNotFound(await failure(client.get(configMaps, key)))).toBe(true);
  });

  test('in the foreground leaves the object until its dependents are gone', async () => {
    const { object, key } = await created();
    const { name = '', uid = '' } = object.metadata;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true };
    const dependent = configMap();
    // The finalizer keeps the dependent, and with it the owner, until it is removed.
    Object.assign(dependent.metadata, { ownerReferences: [owner], finalizers: ['example.org/wait'] });
    const { metadata: kept } = await client.create(configMaps, dependent);
    await client.delete(configMaps, key, { propagationPolicy: 'Foreground' });
    const { metadata } = await client.get(configMaps, key);
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(metadata.finalizers).toContain('foregroundDeletion');
    const released = { type: 'merge' as const, body: { metadata: { finalizers: null } } };
    await client.patch(configMaps, { namespace, name: kept.name ?? '' }, released);
    await waitFor('the object to go', async () =>
      client.get(configMaps, key).then(
        () => ({ seen: 'it is there' }),
        (error: unknown) => (isNotFound(error) ? { met: true } : { seen: String(error) }),
      ),
    );
  });
});

describe('who may not', () => {
  test('is told so, with what was missing', async () => {
    const nobody = await engine.connect({ user: 'nobody' });
    const error = await failure(nobody.list(namespaces));
    expect(isForbidden(error)).toBe(true);
    expect(String(error)).toMatch(/User "nobody" cannot list resource "namespaces"/);
  });
});

describe('other paths', () => {
  test('answer what they answer', async () => {
    expect(await client.raw<{ major: string }>({ method: 'GET', path: '/version' })).toMatchObject({
      major: '1',
    });
    expect(await client.raw<string>({ method: 'GET', path: '/readyz' })).toBe('ok');
    const review = await client.raw<{ status: { userInfo: { groups: string[] } } }>({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(review.status.userInfo.groups).toContain('system:authenticated');
  });
});
