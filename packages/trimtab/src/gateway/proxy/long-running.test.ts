import { expect, test } from 'vitest';
import { isLongRunning } from './long-running.ts';

test.each([
  ['GET', '/api/v1/pods?watch=true', true],
  ['GET', '/api/v1/pods?limit=1&watch=1', true],
  ['GET', '/api/v1/pods?watch', true],
  ['GET', '/api/v1/pods?watch=false', false],
  ['GET', '/api/v1/pods?watch=0', false],
  ['GET', '/api/v1/pods', false],
  ['GET', '/api/v1/pods?labelSelector=watch', false],
  ['GET', '/api/v1/watch/namespaces/a/pods', true],
  ['GET', '/apis/apps/v1/watch/deployments', true],
  ['GET', '/api/v1/namespaces/watch/pods', false],
  ['GET', '/api/v1/namespaces/a/pods/b/log?follow=true', true],
  ['GET', '/api/v1/namespaces/a/pods/b/log', false],
  ['POST', '/api/v1/namespaces/a/services/b:80/proxy/upload', true],
  ['POST', '/api/v1/namespaces/a/pods?watch=true', false],
])('%s %s: %s', (method, url, expected) => {
  expect(isLongRunning(method, url)).toBe(expected);
});
