import { expect, test } from 'vitest';
import { negotiate } from './negotiation.ts';
import { requestInfo } from './request-info.ts';

const none = new URLSearchParams();

test.each([
  [
    'GET',
    '/api/v1/namespaces/default/configmaps/foo',
    { verb: 'get', resource: 'configmaps', namespace: 'default', name: 'foo' },
  ],
  [
    'GET',
    '/api/v1/configmaps',
    { verb: 'list', resource: 'configmaps', namespace: undefined, name: undefined },
  ],
  ['GET', '/api/v1/configmaps?watch=true', { verb: 'watch' }],
  ['GET', '/api/v1/configmaps?watch=false', { verb: 'list' }],
  [
    'POST',
    '/apis/apps/v1/namespaces/x/deployments',
    { verb: 'create', group: 'apps', version: 'v1', resource: 'deployments' },
  ],
  [
    'PUT',
    '/apis/apps/v1/namespaces/x/deployments/d/status',
    { verb: 'update', name: 'd', subresource: 'status' },
  ],
  [
    'DELETE',
    '/api/v1/namespaces/x',
    { verb: 'delete', resource: 'namespaces', name: 'x', namespace: undefined },
  ],
  [
    'PUT',
    '/api/v1/namespaces/x/finalize',
    { verb: 'update', resource: 'namespaces', name: 'x', subresource: 'finalize' },
  ],
  ['DELETE', '/api/v1/namespaces/x/pods', { verb: 'deletecollection', resource: 'pods', namespace: 'x' }],
  ['GET', '/api/v1/namespaces/x/configmaps/a%2Fb', { name: 'a/b' }],
  ['GET', '/version', { isResource: false, verb: 'get' }],
  ['GET', '/apis/apps/v1', { isResource: false }],
])('%s %s', (method, url, expected) => {
  const [path = '', query] = url.split('?');
  expect(requestInfo(method, path, new URLSearchParams(query))).toMatchObject(expected);
});

test('a path that cannot be decoded is no request', () => {
  expect(requestInfo('GET', '/api/v1/%zz', none)).toBeUndefined();
});

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

test.each([
  [undefined, { format: 'json', shape: 'object' }],
  ['*/*', { format: 'json', shape: 'object' }],
  ['application/yaml', { format: 'yaml', shape: 'object' }],
  [
    `${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`,
    { format: 'json', shape: 'table' },
  ],
  ['application/vnd.kubernetes.protobuf,application/json', { format: 'json', shape: 'object' }],
  ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', { shape: 'metadata' }],
  ['application/yaml;q=0.5,application/json;q=0.9', { format: 'json' }],
])('Accept %s', (accept, expected) => {
  expect(negotiate(accept, none)).toMatchObject(expected);
});

test.each([
  'application/vnd.kubernetes.protobuf',
  'text/html',
  'application/json;as=Table;v=v9;g=meta.k8s.io',
])('Accept %s is answered with 406, so that clients ask for JSON', (accept) => {
  expect(() => negotiate(accept, none)).toThrow(
    /406: Not Acceptable|only the following media types are accepted/,
  );
});
