import { describe, expect, test } from 'vitest';
import { describeRequest, isWrite, requestInfo } from './request-info.ts';

describe('what a request is about', () => {
  test.each([
    ['GET', '/api/v1/namespaces/ns/configmaps/foo', 'get configmaps ns/foo'],
    ['GET', '/api/v1/namespaces/ns/configmaps?limit=500', 'list configmaps ns'],
    ['GET', '/api/v1/configmaps?watch=true', 'watch configmaps'],
    ['GET', '/api/v1/configmaps?watch=1', 'watch configmaps'],
    ['GET', '/api/v1/configmaps?watch=false', 'list configmaps'],
    ['POST', '/apis/apps/v1/namespaces/ns/deployments', 'create deployments ns'],
    ['PUT', '/apis/apps/v1/namespaces/ns/deployments/web/status', 'update deployments/status ns/web'],
    ['PATCH', '/api/v1/nodes/n1', 'patch nodes n1'],
    ['DELETE', '/api/v1/namespaces/ns', 'delete namespaces ns'],
    ['DELETE', '/api/v1/namespaces/ns/pods', 'deletecollection pods ns'],
    ['GET', '/version', 'get /version'],
  ])('%s %s', (method, url, expected) => {
    expect(describeRequest(requestInfo(method, url))).toBe(expected);
  });

  test('the group is that of the path', () => {
    expect(requestInfo('GET', '/apis/apps/v1/deployments').group).toBe('apps');
    expect(requestInfo('GET', '/api/v1/pods').group).toBe('');
  });
});

test('a write changes something that lasts', () => {
  const writes = (method: string, url: string) => isWrite(requestInfo(method, url));
  expect(writes('POST', '/api/v1/namespaces/ns/configmaps')).toBe(true);
  expect(writes('DELETE', '/api/v1/namespaces/ns/configmaps/foo')).toBe(true);
  expect(writes('POST', '/api/v1/namespaces/ns/configmaps?dryRun=All')).toBe(false);
  expect(writes('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')).toBe(false);
  expect(writes('POST', '/api/v1/namespaces/ns/serviceaccounts/sa/token')).toBe(false);
  expect(writes('GET', '/api/v1/pods?watch=true')).toBe(false);
});
