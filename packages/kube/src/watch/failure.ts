import { ApiError, NetworkError } from '../transport/errors.ts';
import type { Attempt } from './next-move.ts';

/** Abort reason of an attempt that the reflector ends itself; any other reason means that the reflector stops. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly why: 'periodic' | 'asked' | 'silent';

  constructor(why: 'periodic' | 'asked' | 'silent') {
    super(`watch interrupted: ${why}`);
    this.why = why;
  }
}

/** Classifies an attempt that threw. `reason` is the reason of the attempt's signal, if it was aborted. */
export function attemptThatThrew(error: unknown, reason: unknown, withInitialEvents: boolean): Attempt {
  if (reason instanceof Interruption) return { ended: 'by-us', cause: reason.why };
  if (error instanceof ApiError) {
    if (error.status === 410) return { ended: 'gone' };
    // A server without support for initial events rejects the request as invalid. A server also rejects an invalid
    // selector, but then the list that follows fails with the same error.
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
