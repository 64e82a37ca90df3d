import { expect, test } from 'vitest';
import { isLongRunning } from './long-running.ts';

test.each([
  ['GET', '/api/v1/pods?watch=true', true],
  ['GET', '/api/v1/pods/?watch=true', true],
  ['GET', '/api/v1/pods?limit=1&watch=1', true],
  ['GET', '/api/v1/pods?watch', true],
  ['GET', '/api/v1/pods?watch=f', true],
  ['GET', '/api/v1/namespaces?watch=1', true],
  ['GET', '/api/v1/namespaces/a/pods?watch=1&fieldSelector=metadata.name%3Db', true],
  ['GET', '/apis/apps/v1/namespaces/a/deployments?watch=1', true],
  ['GET', '/apis/apps/v1/deployments?watch=1', true],
  ['GET', '/api/v1/pods?watch=false', false],
  ['GET', '/api/v1/pods?watch=FALSE', false],
  ['GET', '/api/v1/pods?watch=0', false],
  ['GET', '/api/v1/pods', false],
  ['GET', '/api/v1/pods?labelSelector=watch', false],
  ['GET', '/api/v1/pods?x=?watch=1', false],
  ['HEAD', '/api/v1/pods?watch=true', false],
  ['POST', '/api/v1/namespaces/a/pods?watch=true', false],
  ['DELETE', '/api/v1/namespaces/a/pods?watch=true', false],
  // One object, a subresource, and paths without a resource are answered at once.
  ['GET', '/api/v1/namespaces/a/pods/b?watch=true', false],
  ['GET', '/api/v1/namespaces/a/pods%2Fb?watch=true', false],
  ['GET', '/api/v1/namespaces/a?watch=true', false],
  ['GET', '/api/v1/namespaces/a/status?watch=true', false],
  ['GET', '/api/v1/nodes/a?watch=true', false],
  ['GET', '/apis/apps/v1/namespaces/a/deployments/b/scale?watch=true', false],
  ['GET', '/api/v1?watch=true', false],
  ['GET', '/apis/apps/v1?watch=true', false],
  ['GET', '/version?watch=true', false],
  ['GET', '/openapi/v2?watch=true', false],
  ['GET', '/?watch=true', false],
  ['GET', '/api/v1/watch/namespaces/a/pods', true],
  ['GET', '/api/v1/watch/namespaces/a/pods/b', true],
  ['GET', '/apis/apps/v1/watch/deployments', true],
  ['POST', '/api/v1/watch/namespaces/a/pods', false],
  ['GET', '/api/v1/namespaces/watch/pods', false],
  ['GET', '/api/v1/namespaces/a/pods/b/log?follow=true', true],
  // The reader of a log may pause, as a pager does; the API server takes it for long-running as well.
  ['GET', '/api/v1/namespaces/a/pods/b/log', true],
  ['GET', '/api/v1/pods?follow=true', false],
  ['GET', '/api/v1/namespaces/a/configmaps/b?follow=true', false],
  ['POST', '/api/v1/namespaces/a/services/b:80/proxy/upload', true],
  ['GET', '/api/v1/nodes/a/proxy', true],
  ['GET', '/apis/example.com/v1/namespaces/a/widgets/b/proxy', false],
  ['GET', '/version/pods/a/proxy', false],
  ['GET', '//api/v1/pods//?watch=true', true],
  ['GET', '/api/v1//pods?watch=true', false],
])('%s %s: %s', (method, url, expected) => {
  expect(isLongRunning(method, url)).toBe(expected);
});

test('a path with many slashes takes no longer than any other', () => {
  // A search for the slashes at the end that begins again at each slash would take minutes.
  expect(isLongRunning('GET', `/api/v1/pods${'/'.repeat(1_000_000)}b?watch=true`)).toBe(false);
});
