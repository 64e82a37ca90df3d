import type { Incoming } from './read-event.ts';
import { compareVersions, isComparable } from './resource-version.ts';

/**
 * Effect of one line of a watch stream on the cache.
 *
 * `mark` is the resourceVersion up to which the cache equals the server; the stream resumes from it. A server sends
 * each change once and in order. An event at or below the mark is therefore either already in the cache, or proves
 * that the stream is unreliable; the collection is then relisted.
 */
export type StreamStep =
  | { do: 'put'; mark: string }
  | { do: 'remove'; mark: string }
  | { do: 'advance'; mark: string }
  | { do: 'ignore' }
  | { do: 'relist'; cause: 'gone' | 'out-of-order' | 'incomparable' | 'unreadable' }
  | { do: 'fail'; code: number; retryAfterSeconds?: number };

/** `cached` is the resourceVersion of the event's object in the cache, if it is cached. */
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

/** Whether the cache already contains the state of the event or a later one. */
function isKnown(version: string, deleted: boolean, cached: string | undefined): boolean {
  if (cached === undefined) return deleted;
  const lead = compareVersions(cached, version);
  return deleted ? lead > 0 : lead >= 0;
}

/** Initial events are not ordered by resourceVersion, so the newest version of each object counts. */
export type InitialStep =
  | { do: 'put' }
  | { do: 'remove' }
  | { do: 'ignore' }
  | { do: 'synced'; mark: string }
  | Extract<StreamStep, { do: 'relist' | 'fail' }>;

/**
 * `seen` is the version of the object that this sync has already received, present or deleted. The first event of a
 * sync for an object applies even when the cache has a higher version, because versions decrease after a restore of
 * etcd. After that, only a newer version replaces it.
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
