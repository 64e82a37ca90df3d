import type { Incoming } from './read-event.ts';
import { compareVersions, isComparable } from './resource-version.ts';

/**
 * What one line of a watch stream means for the cache.
 *
 * `mark` is the resource version up to which the cache is known to equal the server; the stream resumes from
 * it. A server sends each change once and in order, so whatever lies at or below the mark is either known
 * already or proof that the stream cannot be trusted. Then nothing is guessed: the collection is read anew.
 */
export type StreamStep =
  | { do: 'put'; mark: string }
  | { do: 'remove'; mark: string }
  | { do: 'advance'; mark: string }
  | { do: 'ignore' }
  | { do: 'relist'; cause: 'gone' | 'out-of-order' | 'incomparable' | 'unreadable' }
  | { do: 'fail'; code: number; retryAfterSeconds?: number };

/** `cached` is the resource version of the cached object that the event is about, if there is one. */
export function stepStream(mark: string, incoming: Incoming, cached: string | undefined): StreamStep {
  const unusable = stepUnusable(incoming);
  if (unusable) return unusable;
  if (incoming.kind === 'bookmark') {
    const ahead = compareVersions(incoming.version, mark) > 0;
    return ahead ? { do: 'advance', mark: incoming.version } : { do: 'ignore' };
  }
  if (incoming.kind !== 'object') return { do: 'ignore' };
  if (!isComparable(mark)) return { do: 'relist', cause: 'incomparable' };

  const { version, deleted } = incoming;
  const known = isKnown(version, deleted, cached);
  if (compareVersions(version, mark) <= 0)
    return known ? { do: 'ignore' } : { do: 'relist', cause: 'out-of-order' };
  if (known) return { do: 'advance', mark: version };
  return { do: deleted ? 'remove' : 'put', mark: version };
}

/** Whether the cache already shows what the event says, or something later. */
function isKnown(version: string, deleted: boolean, cached: string | undefined): boolean {
  if (cached === undefined) return deleted;
  const lead = compareVersions(cached, version);
  return deleted ? lead > 0 : lead >= 0;
}

/** Before the initial events end there is no order to rely on: each object's newest version counts. */
export type InitialStep =
  | { do: 'put' }
  | { do: 'remove' }
  | { do: 'ignore' }
  | { do: 'synced'; mark: string }
  | Extract<StreamStep, { do: 'relist' | 'fail' }>;

/**
 * `seen` is the version that this sync has already told of the object, be it there or gone.
 * The first word of a sync about an object stands even when the cache has a higher version: after a restore
 * of etcd, versions go back. From then on, only a newer version replaces it.
 */
export function stepInitial(incoming: Incoming, seen: string | undefined): InitialStep {
  const unusable = stepUnusable(incoming);
  if (unusable) return unusable;
  if (incoming.kind === 'bookmark')
    return incoming.initialEventsEnd ? { do: 'synced', mark: incoming.version } : { do: 'ignore' };
  if (incoming.kind !== 'object') return { do: 'ignore' };
  if (seen !== undefined && compareVersions(incoming.version, seen) <= 0) return { do: 'ignore' };
  return incoming.deleted ? { do: 'remove' } : { do: 'put' };
}

function stepUnusable(incoming: Incoming): Extract<StreamStep, { do: 'relist' | 'fail' }> | undefined {
  switch (incoming.kind) {
    case 'error': {
      if (incoming.code === 410) return { do: 'relist', cause: 'gone' };
      const { code, retryAfterSeconds } = incoming;
      return { do: 'fail', code, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    }
    case 'unreadable':
      return { do: 'relist', cause: 'unreadable' };
    default:
      return isComparable(incoming.version) ? undefined : { do: 'relist', cause: 'incomparable' };
  }
}
