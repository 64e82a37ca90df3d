/** Why a collection is read anew; a label of the metric. */
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

/** How one attempt (a list, or a stream from its opening to its end) went. */
export type Attempt =
  | { ended: 'synced' }
  | { ended: 'by-server'; progressed: boolean; livedMs: number }
  | { ended: 'by-us'; cause: 'periodic' | 'asked' | 'silent' }
  | { ended: 'untrusted'; cause: 'out-of-order' | 'incomparable' | 'unreadable' }
  | { ended: 'gone' }
  | { ended: 'watch-list-refused' }
  | { ended: 'failed'; code: string; retryAfterSeconds?: number };

export interface Move {
  /** Resume the stream from the mark, or read the collection anew. */
  next: 'resume' | 'relist';
  cause?: RelistCause;
  /**
   * `failure`: as after any failure. `distrust`: counted on its own and for longer, because a server that
   * keeps sending nonsense looks healthy between two relists and would be asked for everything in a hot loop.
   */
  wait: 'none' | 'failure' | 'distrust';
  /** What the health stamp and the log name, when this counts as a failure. */
  code?: string;
}

/** A stream that ends so soon and brought nothing is a failure, or a broken proxy would make us spin. */
const shortestStreamMs = 1_000;

/** `during` is what the attempt was about: the sync (list or initial events), or following the stream. */
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
      // Not yet a failure: it is one when the server cannot be reached by the next attempt, either.
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

/** The request itself is wrong, and all that changes from one to the next is where it resumes. */
function isRefusal(code: string): boolean {
  return /^4[0-9]{2}$/.test(code) && !['401', '403', '404', '408', '429'].includes(code);
}
