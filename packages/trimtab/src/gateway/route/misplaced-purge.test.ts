import { expect, test } from 'vitest';
import { refuseMisplacedPurge } from './misplaced-purge.ts';

const refuse = (path: string, query = 'purge=true', method = 'DELETE') =>
  refuseMisplacedPurge(method, path, new URLSearchParams(query));

test.each([
  ['secrets/bar', 'DELETE /api/v1/namespaces/shop/secrets/bar/?purge=true'],
  ['secrets/bar', 'DELETE /api/v1/namespaces/shop/secrets/bar/{version}?purge=true'],
  ['configmaps/foo', 'DELETE /api/v1/namespaces/shop/configmaps/foo/?purge=true'],
  ['secrets', 'DELETE /api/v1/namespaces/shop/secrets/{name}/?purge=true'],
  ['secrets/', 'DELETE /api/v1/namespaces/shop/secrets/{name}/?purge=true'],
  ['%73ecrets/b%61r', 'DELETE /api/v1/namespaces/shop/secrets/bar/?purge=true'],
  ['secrets/bar%2F', 'DELETE /api/v1/namespaces/shop/secrets/bar/?purge=true'],
  ['secrets//bar', 'DELETE /api/v1/namespaces/shop/secrets/bar/?purge=true'],
])('a purge of %s is refused with the path to use', (rest, advice) => {
  expect(() => refuse(`/api/v1/namespaces/shop/${rest}`)).toThrow(advice);
});

test.each(['purge', 'purge=', 'purge=false', 'dryRun=All&purge=1', '%70urge=true'])(
  'a DELETE of a Secret with ?%s is refused, because Kubernetes ignores the parameter',
  (query) => {
    expect(() => refuse('/api/v1/namespaces/shop/secrets/bar', query)).toThrow('nothing was deleted');
  },
);

test.each([
  ['DELETE', '/api/v1/namespaces/shop/secrets/bar', 'dryRun=All'],
  ['GET', '/api/v1/namespaces/shop/secrets/bar', 'purge=true'],
  ['DELETE', '/api/v1/namespaces/shop/pods/bar', 'purge=true'],
  ['DELETE', '/api/v1/namespaces/shop/services/cache/proxy/entries', 'purge=true'],
  ['DELETE', '/apis/example.com/v1/namespaces/shop/secrets/bar', 'purge=true'],
  ['DELETE', '/api/v1/namespaces/shop/secrets/%zz', 'purge=true'],
])('%s %s?%s is proxied', (method, path, query) => {
  expect(() => refuse(path, query, method)).not.toThrow();
});
