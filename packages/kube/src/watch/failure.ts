import { ApiError, NetworkError } from '../transport/errors.ts';
import type { Attempt } from './next-move.ts';

/** Aborts an attempt from our side; the reason of the signal tells it from a stop. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly why: 'periodic' | 'asked' | 'silent';

  constructor(why: 'periodic' | 'asked' | 'silent') {
    super(`the watch was interrupted: ${why}`);
    this.why = why;
  }
}

/** What an attempt that threw came to. `reason` is that of the attempt's signal, if it was aborted. */
export function attemptThatThrew(error: unknown, reason: unknown, withInitialEvents: boolean): Attempt {
  if (reason instanceof Interruption) return { ended: 'by-us', cause: reason.why };
  if (error instanceof ApiError) {
    if (error.status === 410) return { ended: 'gone' };
    // A server that does not serve initial events calls the request invalid. So it does with a bad selector,
    // but then the list fails the same way and says so.
    if (withInitialEvents && (error.status === 400 || error.status === 422))
      return { ended: 'watch-list-refused' };
    return {
      ended: 'failed',
      code: String(error.status),
      ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
    };
  }
  return { ended: 'failed', code: error instanceof NetworkError ? error.code : 'internal' };
}
