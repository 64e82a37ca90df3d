import { describe, expect, test } from 'vitest';
import { checkRequest } from './check-request.ts';

function refusal(head: Partial<Parameters<typeof checkRequest>[0]>): number | undefined {
  try {
    checkRequest({ method: 'GET', url: '/api', headers: {}, rawHeaders: [], ...head });
    return undefined;
  } catch (error) {
    return (error as { body: { code: number } }).body.code;
  }
}

describe('a request that could be read in two ways', () => {
  test.each([
    ['of an odd method', { method: 'PURGE' }, 405],
    ['that traces', { method: 'TRACE' }, 405],
    ['for another server', { url: 'http://elsewhere/api' }, 400],
    ['for no path', { method: 'OPTIONS', url: '*' }, 400],
    ['with a fragment', { url: '/api#x' }, 400],
    ['with an encoding of its body', { headers: { 'transfer-encoding': 'gzip, chunked' } }, 400],
    ['with two credentials', { rawHeaders: ['Authorization', 'a', 'authorization', 'b'] }, 400],
    ['with more headers than a parser counts', { rawHeaders: Array.from({ length: 382 }, () => 'X-A') }, 431],
    ['with two hosts', { rawHeaders: ['Host', 'a', 'HOST', 'a'] }, 400],
    [
      'of another origin’s page, before it is made',
      { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } },
      403,
    ],
  ])('%s is refused', (_, head, code) => {
    expect(refusal(head)).toBe(code);
  });
});

test('ordinary requests are not', () => {
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    expect(
      refusal({ method, url: '/api/v1//x?y=%2F', headers: { 'transfer-encoding': 'Chunked' } }),
    ).toBeUndefined();
  expect(refusal({ rawHeaders: ['Impersonate-Group', 'a', 'Impersonate-Group', 'b'] })).toBeUndefined();
});
