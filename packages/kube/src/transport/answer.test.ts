import { expect, test } from 'vitest';
import { apiErrorOf, warningsOf } from './answer.ts';

const json = { 'content-type': 'application/json' };
const answer = (status: number, headers: Record<string, string>, body: unknown) => ({
  status,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

test("the server's own words and reason are the error's", () => {
  const body = {
    kind: 'Status',
    message: 'configmaps "foo" already exists',
    reason: 'AlreadyExists',
    code: 409,
  };
  const error = apiErrorOf(answer(409, json, body), 'POST /api/v1/namespaces/a/configmaps');
  expect(error.message).toBe(
    'POST /api/v1/namespaces/a/configmaps: configmaps "foo" already exists (409 AlreadyExists)',
  );
  expect(error).toMatchObject({ status: 409, reason: 'AlreadyExists', body });
});

test("a load balancer's page becomes an error that can be read, and is not shown", () => {
  const page = '<html><body>Bearer abc was not accepted by the upstream</body></html>';
  const error = apiErrorOf(answer(502, { 'content-type': 'text/html; charset=utf-8' }, page), 'GET /version');
  expect(error).toMatchObject({ status: 502, reason: 'BadGateway' });
  expect(error.message).toBe(
    `GET /version: the response (${page.length} bytes of text/html) is not from a Kubernetes API server (502 BadGateway)`,
  );
});

test.each([
  ['broken JSON', json, '{"kind":"Status","mess'],
  ['JSON that is no Status', json, '{"error":"no"}'],
  ['JSON null', json, 'null'],
  ['nothing', {}, ''],
])('%s is no Status either', (_case, headers, body) => {
  expect(apiErrorOf(answer(503, headers, body), 'GET /version')).toMatchObject({
    status: 503,
    reason: 'ServiceUnavailable',
  });
});

test.each([
  ['seconds in the header', { 'retry-after': '7' }, {}, 7],
  ['seconds in the Status', {}, { details: { retryAfterSeconds: 3 } }, 3],
  ['a date, which no API server sends', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, {}, undefined],
  ['nothing', {}, {}, undefined],
])('when to come back: %s', (_case, headers, details, seconds) => {
  const body = { kind: 'Status', reason: 'TooManyRequests', ...details };
  expect(apiErrorOf(answer(429, { ...json, ...headers }, body), 'GET /').retryAfterSeconds).toBe(seconds);
});

test('a message of a megabyte is cut', () => {
  const body = { kind: 'Status', message: 'x'.repeat(1_000_000), reason: 'Invalid' };
  expect(apiErrorOf(answer(422, json, body), 'POST /').message.length).toBeLessThan(3_000);
});

test.each([
  ['none', undefined, []],
  ['one', '299 - "unknown field \\"spec.x\\""', ['unknown field "spec.x"']],
  ['two, with a comma', '299 - "a, b", 299 trimtab "c"', ['a, b', 'c']],
  ['what is no warning', 'hello', []],
])('the texts of the Warning headers: %s', (_, warning, texts) => {
  const headers = warning === undefined ? {} : { warning };
  expect(warningsOf(answer(200, headers as Record<string, string>, ''))).toEqual(texts);
});
