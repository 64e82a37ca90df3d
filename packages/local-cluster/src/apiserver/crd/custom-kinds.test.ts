import { type LocalServer, startLocalServer } from '@trimtab/test-bed/engines/local-server.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = '/apis/example.com/v1/things';
let local: LocalServer;
beforeAll(async () => {
  local = await startLocalServer();
});
afterAll(() => local.close());

const definition = (properties: object, served = true) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
      },
    ],
  },
});
const thing = (name: string, more: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name, ...more },
  spec: { size: 1 },
});

interface Answer {
  metadata: { finalizers?: string[]; deletionTimestamp?: string };
  spec: object;
}

async function ask(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) {
  return local.client.raw<Answer>({
    method,
    path,
    ...(body !== undefined && { body }),
    ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }),
  });
}

const codeOf = (request: Promise<unknown>) =>
  request.then(
    () => 200,
    (error: { status?: number }) => error.status,
  );

async function served(): Promise<void> {
  await waitFor('things are served', async () => {
    const code = await codeOf(ask('GET', things));
    return code === 200 ? { met: true } : { seen: String(code) };
  });
}

test('a kind and its objects are there after a restart', async () => {
  await ask('POST', crds, definition({ size: { type: 'integer' } }));
  await served();
  await ask('POST', things, thing('a'));
  await local.restart();
  expect((await ask('GET', `${things}/a`)).spec).toEqual({ size: 1 });
});

test('a default that comes later shows in objects that were there before', async () => {
  const { spec } = definition({ size: { type: 'integer' }, colour: { type: 'string', default: 'green' } });
  await ask('PATCH', `${crds}/things.example.com`, { spec });
  expect((await ask('GET', `${things}/a`)).spec).toEqual({ size: 1, colour: 'green' });
});

test('a version that is served no more is not found, and its objects are kept', async () => {
  await ask('PATCH', `${crds}/things.example.com`, { spec: definition({}, false).spec });
  expect(await codeOf(ask('GET', `${things}/a`))).toBe(404);
  await ask('PATCH', `${crds}/things.example.com`, { spec: definition({ size: { type: 'integer' } }).spec });
  expect(await codeOf(ask('GET', `${things}/a`))).toBe(200);
});

test('a definition that goes waits for the finalizers of its objects, and nothing new is made meanwhile', async () => {
  await ask('POST', things, thing('held', { finalizers: ['example.com/hold'] }));
  await ask('DELETE', `${crds}/things.example.com`);
  const held = await waitFor('one object to be terminating and the other to be deleted', async () => {
    const { metadata } = await ask('GET', `${things}/held`);
    const other = await codeOf(ask('GET', `${things}/a`));
    return metadata.deletionTimestamp !== undefined && other === 404
      ? { met: metadata }
      : { seen: String(other) };
  });
  expect(held.finalizers).toEqual(['example.com/hold']);
  expect(await codeOf(ask('POST', things, thing('late')))).toBe(405);
  expect(await codeOf(ask('GET', `${crds}/things.example.com`))).toBe(200);

  await ask('PATCH', `${things}/held`, { metadata: { finalizers: null } });
  await waitFor('the definition has gone', async () => {
    const code = await codeOf(ask('GET', `${crds}/things.example.com`));
    return code === 404 ? { met: true } : { seen: String(code) };
  });
  // The kind is unregistered by the watch event, shortly after the deletion can be read.
  await waitFor('the custom resource to be no longer served', async () => {
    const code = await codeOf(ask('GET', things));
    return code === 404 ? { met: true } : { seen: String(code) };
  });
});
