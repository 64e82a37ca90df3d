import { describe, expect, test } from 'vitest';
import { configMaps, namespaces, pods } from '../resource.ts';
import {
  createShape,
  deleteShape,
  getShape,
  listShape,
  patchShape,
  type RequestShape,
  rawShape,
  updateShape,
  watchShape,
} from './request-shape.ts';

const line = ({ method, path, query }: RequestShape) => `${method} ${path}${query.size ? `?${query}` : ''}`;
const foo = { namespace: 'shop', name: 'foo' };
const signal = new AbortController().signal;

describe('where a request goes', () => {
  test.each([
    ['get', getShape(configMaps, foo, {}), 'GET /api/v1/namespaces/shop/configmaps/foo'],
    [
      'get a version',
      getShape(configMaps, foo, { resourceVersion: '0' }),
      'GET /api/v1/namespaces/shop/configmaps/foo?resourceVersion=0',
    ],
    ['list everywhere', listShape(configMaps, {}), 'GET /api/v1/configmaps'],
    [
      'list by labels',
      listShape(pods, { namespace: 'shop', labelSelector: 'app in (a, b)', limit: 5 }),
      'GET /api/v1/namespaces/shop/pods?labelSelector=app+in+%28a%2C+b%29&limit=5',
    ],
    [
      'the next page: the token knows the version',
      listShape(pods, { continue: 'abc', limit: 5, resourceVersion: '7', resourceVersionMatch: 'Exact' }),
      'GET /api/v1/pods?limit=5&continue=abc',
    ],
    [
      'watch',
      watchShape(pods, { signal, resourceVersion: '7', timeoutSeconds: 300 }),
      'GET /api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300',
    ],
    [
      'watch with initial events',
      watchShape(pods, { signal, timeoutSeconds: 300, sendInitialEvents: true }),
      'GET /api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    ],
    ['create', createShape(configMaps, { metadata: foo }, {}), 'POST /api/v1/namespaces/shop/configmaps'],
    [
      'create without a namespace',
      createShape(namespaces, { metadata: { name: 'a' } }, {}),
      'POST /api/v1/namespaces',
    ],
    [
      'create a subresource',
      createShape(pods, { metadata: foo }, { subresource: 'eviction' }),
      'POST /api/v1/namespaces/shop/pods/foo/eviction',
    ],
    [
      'update, only tried',
      updateShape(configMaps, { metadata: foo }, { dryRun: true, fieldManager: 'me' }),
      'PUT /api/v1/namespaces/shop/configmaps/foo?dryRun=All&fieldManager=me',
    ],
    [
      'patch the status',
      patchShape(pods, foo, { type: 'merge', body: {} }, { subresource: 'status' }),
      'PATCH /api/v1/namespaces/shop/pods/foo/status',
    ],
    [
      'apply with force',
      patchShape(pods, foo, { type: 'apply', body: {}, force: true }, { fieldManager: 'me' }),
      'PATCH /api/v1/namespaces/shop/pods/foo?fieldManager=me&force=true',
    ],
    ['delete', deleteShape(configMaps, foo, {}), 'DELETE /api/v1/namespaces/shop/configmaps/foo'],
    ['raw', rawShape({ method: 'GET', path: '/readyz', query: { verbose: '' } }), 'GET /readyz?verbose='],
  ])('%s', (_case, shape, expected) => {
    expect(line(shape)).toBe(expected);
  });

  test('a namespaced object without its namespace is a mistake, not a request about all namespaces', () => {
    const nowhere = { metadata: { name: 'foo' } };
    expect(() => getShape(configMaps, { name: 'foo' }, {})).toThrow(/ConfigMap 'foo' requires a namespace/);
    expect(() => createShape(configMaps, nowhere, {})).toThrow(RangeError);
    expect(() => updateShape(configMaps, nowhere, {})).toThrow(RangeError);
    expect(() => deleteShape(configMaps, { name: 'foo' }, {})).toThrow(RangeError);
    expect(() => updateShape(configMaps, { metadata: { namespace: 'shop' } }, {})).toThrow(
      /has no metadata.name/,
    );
  });
});

test('each kind of patch has its own content type', () => {
  const typeOf = (type: 'merge' | 'strategic' | 'apply') =>
    patchShape(pods, foo, { type, body: {} }, {}).contentType;
  expect(typeOf('merge')).toBe('application/merge-patch+json');
  expect(typeOf('strategic')).toBe('application/strategic-merge-patch+json');
  expect(typeOf('apply')).toBe('application/apply-patch+yaml');
  const json = patchShape(pods, foo, { type: 'json', operations: [{ op: 'remove', path: '/a' }] }, {});
  expect(json).toMatchObject({
    contentType: 'application/json-patch+json',
    body: [{ op: 'remove', path: '/a' }],
  });
});

test('metadata only is asked for by list and object names, with plain JSON as the second choice', () => {
  expect(listShape(pods, { projection: 'metadata' }).accept).toBe(
    'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json',
  );
  expect(getShape(pods, foo, { projection: 'metadata' }).accept).toBe(
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json',
  );
  expect(getShape(pods, foo, { projection: 'full' }).accept).toBe('application/json');
});

test('an object is sent with its kind, and a delete with its conditions', () => {
  expect(createShape(configMaps, { metadata: foo }, {}).body).toMatchObject({
    apiVersion: 'v1',
    kind: 'ConfigMap',
  });
  const options = { preconditions: { uid: 'u' }, propagationPolicy: 'Foreground', dryRun: true } as const;
  expect(deleteShape(configMaps, foo, options).body).toMatchObject({
    kind: 'DeleteOptions',
    preconditions: { uid: 'u' },
    propagationPolicy: 'Foreground',
    dryRun: ['All'],
  });
});
