import { parseDuration } from '@trimtab/kube/flags/duration.ts';
import { quoted } from '../../core/messages/quoted.ts';
import { badRequest } from '../../versions/refusal.ts';
import { queryFlag } from '../request/query-flag.ts';

const maxWaitMs = 600_000;

/** Reads `?wait=60s`, `2m` or `1m30s` as milliseconds; undefined when absent. */
export function waitMs(query: URLSearchParams): number | undefined {
  const text = query.get('wait');
  if (text === null) return undefined;
  const ms = parseDuration(text) ?? 0;
  if (ms < 1 || ms > maxWaitMs)
    throw badRequest(
      `wait=${quoted(text)} is not valid: must be a duration of at most ${maxWaitMs / 60_000}m, such as 60s or 2m`,
    );
  return ms;
}

/** Reads `?dryRun=All`, the only value that Kubernetes supports. */
export function isDryRun(query: URLSearchParams): boolean {
  const values = query.getAll('dryRun').filter((value) => value !== '');
  if (values.length === 0) return false;
  if (values.some((value) => value !== 'All'))
    throw badRequest(`dryRun=${quoted(values.join(','))} is not supported; use dryRun=All`);
  return true;
}

export interface WatchQuery {
  bookmarks: boolean;
  /** The resourceVersion up to which the client has seen all changes; undefined to start with the present state. */
  from: string | undefined;
  timeoutSeconds: number | undefined;
}

/** Returns undefined when the request is not a watch. */
export function watchQuery(query: URLSearchParams): WatchQuery | undefined {
  if (!isWatch(query)) return undefined;
  const from = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(from))
    throw badRequest(`resourceVersion=${quoted(from)} is not valid: must be a resourceVersion of this API`);
  const timeout = query.get('timeoutSeconds');
  if (timeout !== null && !/^\d{1,9}$/.test(timeout))
    throw badRequest(`timeoutSeconds=${quoted(timeout)} is not valid: must be a number of seconds`);
  return {
    bookmarks: queryFlag(query, 'allowWatchBookmarks'),
    // In Kubernetes, '' and '0' mean to start with the present state.
    from: from === '' || /^0+$/.test(from) ? undefined : from,
    timeoutSeconds: timeout === null || Number(timeout) === 0 ? undefined : Number(timeout),
  };
}

export function isWatch(query: URLSearchParams): boolean {
  return queryFlag(query, 'watch');
}
