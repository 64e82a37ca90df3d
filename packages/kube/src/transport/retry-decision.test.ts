import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errors, OperationalError } from '../errors.ts';
import { ApiError, NetworkError } from './errors.ts';
import { type RequestKind, retryDecision } from './retry-decision.ts';

const api = (status: number, retryAfterSeconds?: number) =>
  new ApiError(
    status,
    { apiVersion: 'v1', kind: 'Status' },
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
const network = (code: string, sent: 'no' | 'maybe') => new NetworkError(code, sent, 'failed');

const first = {
  ...{ attempts: 1, credentialsRenewed: false, remainingMs: 30_000, jitter: 0 },
  maxRetryAfterMs: Number.POSITIVE_INFINITY,
};
const actionOf = (error: unknown, kind: RequestKind) => retryDecision({ ...first, error, kind }).action;

describe('what is repeated', () => {
  test.each([
    // error, action for a read, action for a write
    ['the connection was refused', network('ECONNREFUSED', 'no'), 'retry', 'retry'],
    ['no connection in time', network('ETIMEDOUT', 'no'), 'retry', 'retry'],
    ['the name was not found', network('ENOTFOUND', 'no'), 'retry', 'retry'],
    ['reset after the request was sent', network('ECONNRESET', 'maybe'), 'retry', 'give up'],
    ['no answer in time', network('ETIMEDOUT', 'maybe'), 'retry', 'give up'],
    [
      'the certificate is not trusted',
      network('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'no'),
      'give up',
      'give up',
    ],
    [
      'the certificate is for another name',
      network('ERR_TLS_CERT_ALTNAME_INVALID', 'no'),
      'give up',
      'give up',
    ],
    ['the answer is too large', network('ERR_BODY_TOO_LARGE', 'maybe'), 'give up', 'give up'],
    ['the answer is not JSON', network('ERR_BODY_NOT_JSON', 'maybe'), 'give up', 'give up'],
    ['the client was closed', network('ERR_CLIENT_CLOSED', 'no'), 'give up', 'give up'],
    ['429 with a time', api(429, 1), 'retry', 'retry'],
    ['429 without one', api(429), 'retry', 'give up'],
    ['500', api(500), 'give up', 'give up'],
    ['500 with a time', api(500, 1), 'retry', 'give up'],
    ['502', api(502), 'retry', 'give up'],
    ['503', api(503), 'retry', 'give up'],
    ['503 with a time', api(503, 1), 'retry', 'give up'],
    ['504', api(504), 'retry', 'give up'],
    ['401', api(401), 'renew credentials', 'renew credentials'],
    ['403', api(403), 'give up', 'give up'],
    ['404', api(404), 'give up', 'give up'],
    ['409', api(409), 'give up', 'give up'],
    ['410', api(410), 'give up', 'give up'],
    ['422', api(422), 'give up', 'give up'],
    ['no credentials', new OperationalError(errors.CredentialsUnavailable, 'none'), 'give up', 'give up'],
    ['a mistake of ours', new TypeError('x is not a function'), 'give up', 'give up'],
  ])('%s', (_case, error, read, write) => {
    expect({ read: actionOf(error, 'read'), write: actionOf(error, 'write') }).toEqual({ read, write });
  });

  test('nothing of a watch but refused credentials: its owner has a back-off', () => {
    for (const error of [
      network('ECONNREFUSED', 'no'),
      network('ECONNRESET', 'maybe'),
      api(429, 1),
      api(503),
    ])
      expect(actionOf(error, 'watch')).toBe('give up');
    expect(actionOf(api(401), 'watch')).toBe('renew credentials');
  });

  test('refused credentials are renewed once', () => {
    expect(retryDecision({ ...first, error: api(401), kind: 'read', credentialsRenewed: true }).action).toBe(
      'give up',
    );
  });

  test('a fifth failure is the last', () => {
    const error = api(503);
    expect(retryDecision({ ...first, error, kind: 'read', attempts: 4 }).action).toBe('retry');
    expect(retryDecision({ ...first, error, kind: 'read', attempts: 5 }).action).toBe('give up');
  });
});

describe('how long to wait', () => {
  test('what the server asks for, at least', () => {
    const decision = retryDecision({ ...first, error: api(429, 2), kind: 'write' });
    expect(decision).toEqual({ action: 'retry', delayMs: 2_000 });
  });

  test('not at all when the call has not so much time left', () => {
    const decision = retryDecision({ ...first, error: api(429, 2), kind: 'write', remainingMs: 1_900 });
    expect(decision.action).toBe('give up');
  });

  test('longer each time, and never past the time that is left', () => {
    const failure = fc.record({
      attempts: fc.integer({ min: 1, max: 4 }),
      remainingMs: fc.nat(60_000),
      jitter: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(failure, (how) => {
        const error = api(503);
        const delayAfter = (attempts: number) => {
          const decision = retryDecision({ ...first, ...how, attempts, error, kind: 'read' });
          return decision.action === 'retry' ? decision.delayMs : Number.POSITIVE_INFINITY;
        };
        const now = delayAfter(how.attempts);
        expect(now === Number.POSITIVE_INFINITY || now < how.remainingMs).toBe(true);
        expect(delayAfter(how.attempts + 1)).toBeGreaterThanOrEqual(now);
      }),
    );
  });
});

test('a server may ask for so long only as the client allows', () => {
  const failed = { ...first, error: api(503, 60), kind: 'read' as const };
  expect(retryDecision(failed)).toEqual({ action: 'give up' });
  expect(retryDecision({ ...failed, maxRetryAfterMs: 1_500 })).toEqual({ action: 'retry', delayMs: 1_500 });
});
