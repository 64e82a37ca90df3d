import { expect, test } from 'vitest';
import { ApiError, NetworkError } from '../transport/errors.ts';
import { attemptThatThrew, Interruption } from './failure.ts';

const answered = (code: number, about = {}) =>
  new ApiError(code, { apiVersion: 'v1', kind: 'Status', code }, about);

test.each([
  ['410 is a history that is gone', answered(410), false, { ended: 'gone' }],
  [
    '422 for initial events means that they are not served',
    answered(422),
    true,
    { ended: 'watch-list-refused' },
  ],
  ['400 for initial events means the same', answered(400), true, { ended: 'watch-list-refused' }],
  ['422 otherwise is a failure', answered(422), false, { ended: 'failed', code: '422' }],
  [
    'the server may ask for time',
    answered(429, { retryAfterSeconds: 4 }),
    false,
    { ended: 'failed', code: '429', retryAfterSeconds: 4 },
  ],
  [
    'a network failure has its own code',
    new NetworkError('ECONNRESET', 'maybe', 'cut'),
    true,
    { ended: 'failed', code: 'ECONNRESET' },
  ],
  ['anything else is our own mistake', new TypeError('oops'), false, { ended: 'failed', code: 'internal' }],
])('%s', (_, error, withInitialEvents, attempt) => {
  expect(attemptThatThrew(error, undefined, withInitialEvents)).toEqual(attempt);
});

test('what we interrupted is no failure, whatever it threw', () => {
  const reason = new Interruption('asked');
  expect(attemptThatThrew(new Error('aborted'), reason, false)).toEqual({ ended: 'by-us', cause: 'asked' });
});
