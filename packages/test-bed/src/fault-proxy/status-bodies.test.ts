import { expect, test } from 'vitest';
import { requestInfo } from './request-info.ts';
import { cannedAnswer, expiredEventLine } from './status-bodies.ts';

const put = requestInfo('PUT', '/apis/apps/v1/namespaces/ns/deployments/web');
const post = requestInfo('POST', '/api/v1/namespaces/ns/configmaps');

test('a conflict names the object with its group', () => {
  const { code, body } = cannedAnswer({ kind: 'status', code: 409 }, put);
  expect(code).toBe(409);
  expect(JSON.parse(body)).toMatchObject({
    kind: 'Status',
    reason: 'Conflict',
    message: expect.stringContaining('deployments.apps "web"'),
    details: { name: 'web', group: 'apps', kind: 'deployments' },
  });
});

test('a create meets an object that exists', () => {
  const { body } = cannedAnswer({ kind: 'status', code: 409 }, post, 'foo');
  expect(JSON.parse(body)).toMatchObject({
    reason: 'AlreadyExists',
    message: 'configmaps "foo" already exists',
  });
});

test('429 says when to come back, in the header and in the body', () => {
  const answer = cannedAnswer({ kind: 'status', code: 429, retryAfterSeconds: 3 }, put);
  expect(answer.headers['retry-after']).toBe('3');
  expect(JSON.parse(answer.body)).toMatchObject({ code: 429, details: { retryAfterSeconds: 3 } });
});

test('a server out of seats answers 429 in plain text', () => {
  const answer = cannedAnswer({ kind: 'status', code: 429, retryAfterSeconds: 1, plain: true }, put);
  expect(answer).toMatchObject({ code: 429, headers: { 'content-type': 'text/plain; charset=utf-8' } });
});

test('410, 500 and 503 carry the reasons that clients match', () => {
  const reasonOf = (code: 410 | 500 | 503) =>
    JSON.parse(cannedAnswer({ kind: 'status', code }, put).body)['reason'];
  expect([reasonOf(410), reasonOf(500), reasonOf(503)]).toEqual([
    'Expired',
    'InternalError',
    'ServiceUnavailable',
  ]);
  expect(JSON.parse(expiredEventLine())).toMatchObject({
    type: 'ERROR',
    object: { code: 410, reason: 'Expired' },
  });
});
