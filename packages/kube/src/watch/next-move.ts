/** Cause of a relist; a label of the metric trimtab_watch_relists_total. */
export type RelistCause =
  | 'start'
  | 'gone'
  | 'out-of-order'
  | 'incomparable'
  | 'unreadable'
  | 'initial-events'
  | 'refused'
  | 'periodic'
  | 'asked'
  | 'sync-failed';

/** Result of one attempt. An attempt is a list, or a stream from its opening to its end. */
export type Attempt =
  | { ended: 'synced' }
  | { ended: 'by-server'; progressed: boolean; livedMs: number }
  | { ended: 'by-us'; cause: 'periodic' | 'asked' | 'silent' }
  | { ended: 'untrusted'; cause: 'out-of-order' | 'incomparable' | 'unreadable' }
  | { ended: 'gone' }
  | { ended: 'watch-list-refused' }
  | { ended: 'failed'; code: string; retryAfterSeconds?: number };

export interface Move {
  /** Resume the stream from the mark, or relist the collection. */
  next: 'resume' | 'relist';
  cause?: RelistCause;
  /**
   * `failure` is the backoff for ordinary failures. `distrust` has its own backoff, which is reset later: a server
   * that keeps sending invalid events appears healthy between relists, and a reset would cause a hot loop of relists.
   */
  wait: 'none' | 'failure' | 'distrust';
  /** Failure code for health, metrics and log; undefined when the attempt did not fail. */
  code?: string;
}

/** A stream that ends sooner, without events, counts as a failure. Otherwise a broken proxy causes a hot loop. */
const shortestStreamMs = 1_000;

/** `during` is the phase in which the attempt ended: `sync` (list or initial events) or `follow` (watch events). */
export function nextMove(during: 'sync' | 'follow', attempt: Attempt): Move {
  switch (attempt.ended) {
    case 'synced':
      return { next: 'resume', wait: 'none' };
    case 'by-server':
      if (during === 'sync') return syncFailed('ended-early');
      return attempt.progressed || attempt.livedMs >= shortestStreamMs
        ? { next: 'resume', wait: 'none' }
        : { next: 'resume', wait: 'failure', code: 'ended-early' };
    case 'by-us':
      if (attempt.cause !== 'silent') return { next: 'relist', cause: attempt.cause, wait: 'none' };
      // A silent stream is not yet a failure. If the server is unreachable, the next attempt fails.
      return during === 'sync' ? syncFailed('silent') : { next: 'resume', wait: 'none' };
    case 'untrusted':
      return { next: 'relist', cause: attempt.cause, wait: 'distrust', code: attempt.cause };
    case 'gone':
      return { next: 'relist', cause: 'gone', wait: 'failure', code: '410' };
    case 'watch-list-refused':
      return { next: 'relist', cause: 'initial-events', wait: 'none' };
    case 'failed':
      if (during === 'sync') return syncFailed(attempt.code);
      return isRefusal(attempt.code)
        ? { next: 'relist', cause: 'refused', wait: 'failure', code: attempt.code }
        : { next: 'resume', wait: 'failure', code: attempt.code };
  }
}

function syncFailed(code: string): Move {
  return { next: 'relist', cause: 'sync-failed', wait: 'failure', code };
}

/**
 * Whether the server rejects the request as such. Only the resourceVersion differs between watch requests, so a
 * relist, which obtains a new one, is the remedy.
 */
function isRefusal(code: string): boolean {
  return /^4[0-9]{2}$/.test(code) && !['401', '403', '404', '408', '429'].includes(code);
}
