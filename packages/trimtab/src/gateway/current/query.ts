import { parseDuration } from '@trimtab/kube/flags/duration.ts';
import { badRequest } from '../answer/status-error.ts';

const maxWaitMs = 600_000;

/** `?wait=60s`, `2m`, `1m30s`: how long to hold the answer, in milliseconds; undefined when nobody asked for it. */
export function waitMs(query: URLSearchParams): number | undefined {
  const text = query.get('wait');
  if (text === null) return undefined;
  const ms = parseDuration(text) ?? 0;
  if (ms < 1 || ms > maxWaitMs)
    throw badRequest(
      `wait=${JSON.stringify(text)} is not a time up to ${maxWaitMs / 60_000}m; write wait=60s or wait=2m`,
    );
  return ms;
}

/** `?dryRun=All`, as Kubernetes has it and nothing else. */
export function isDryRun(query: URLSearchParams): boolean {
  const values = query.getAll('dryRun').filter((value) => value !== '');
  if (values.length === 0) return false;
  if (values.some((value) => value !== 'All'))
    throw badRequest(`dryRun=${JSON.stringify(values.join(','))} is not supported; write dryRun=All`);
  return true;
}

export interface WatchQuery {
  bookmarks: boolean;
  /** How far the client has seen everything; undefined to begin with what there is. */
  from: string | undefined;
  timeoutSeconds: number | undefined;
}

/** Undefined when it is no watch. */
export function watchQuery(query: URLSearchParams): WatchQuery | undefined {
  if (!flag(query, 'watch')) return undefined;
  const from = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(from))
    throw badRequest(`resourceVersion=${JSON.stringify(from)} is not one that this API has given`);
  const timeout = query.get('timeoutSeconds');
  if (timeout !== null && !/^\d{1,9}$/.test(timeout))
    throw badRequest(`timeoutSeconds=${JSON.stringify(timeout)} is not a number of seconds`);
  return {
    bookmarks: flag(query, 'allowWatchBookmarks'),
    // '' and '0' are Kubernetes' ways to say: begin with what there is.
    from: from === '' || /^0+$/.test(from) ? undefined : from,
    timeoutSeconds: timeout === null || Number(timeout) === 0 ? undefined : Number(timeout),
  };
}

/** As the API server reads them: `watch`, `watch=1` and `watch=true` are true. */
function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && !['false', '0', 'f', 'F', 'FALSE', 'False'].includes(value);
}
