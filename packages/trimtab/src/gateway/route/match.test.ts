import { expect, test } from 'vitest';
import { Refusal } from '../../versions/refusal.ts';
import { routeTable } from './match.ts';
import type { Route } from './route.ts';

function route(method: Route['method'], path: string): Route {
  return {
    method,
    path,
    document: { operationId: path, summary: path, answers: {} },
    handle: async () => 'answered',
  };
}

const table = routeTable([
  route('GET', '/configs/{name}/current'),
  route('GET', '/configs/{name}/{version}'),
  route('DELETE', '/configs/{name}/'),
]);

test.each([
  ['GET', '/configs/foo/current', '/configs/{name}/current', { name: 'foo' }],
  ['GET', '/configs/foo/1.0.0', '/configs/{name}/{version}', { name: 'foo', version: '1.0.0' }],
  ['GET', '/configs/foo/a%2Fb', '/configs/{name}/{version}', { name: 'foo', version: 'a/b' }],
  ['GET', '/configs/foo/100%25', '/configs/{name}/{version}', { name: 'foo', version: '100%' }],
  ['GET', '/configs/foo/50%25ad', '/configs/{name}/{version}', { name: 'foo', version: '50%ad' }],
  ['GET', '/configs/foo/%252F', '/configs/{name}/{version}', { name: 'foo', version: '%2F' }],
  ['GET', '/configs/foo/gr%C3%BCn', '/configs/{name}/{version}', { name: 'foo', version: 'grün' }],
  ['DELETE', '/configs/foo/', '/configs/{name}/', { name: 'foo' }],
])('%s %s is the route %s', (method, path, expected, parameters) => {
  const match = table.find(method, path);
  expect(match?.route.path).toBe(expected);
  expect(match?.parameters).toEqual(parameters);
});

test.each([
  ['GET', '/configs/foo/'],
  ['GET', '/configs//1.0.0'],
  ['DELETE', '/configs/foo'],
  ['GET', '/configs/foo/a/b'],
])('%s %s is nobody’s of ours', (method, path) => {
  expect(table.find(method, path)).toBeUndefined();
});

test.each([
  ['/configs/foo/%2', 'not valid percent-encoded UTF-8'],
  ['/configs/foo/%ff', 'not valid percent-encoded UTF-8'],
  ['/configs/foo/a%00b', 'NUL'],
  ['/configs/foo/..', 'reserved in paths'],
  ['/configs/%2e/1.0.0', 'reserved in paths'],
])('%s is refused', (path, why) => {
  expect(() => table.find('GET', path)).toThrow(Refusal);
  expect(() => table.find('GET', path)).toThrow(why);
});
