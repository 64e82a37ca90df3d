import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { compareVersions, isComparable } from '@trimtab/kube/watch/resource-version.ts';
import { StatusError } from '../answer/status-error.ts';
import type { AppliedVersion, VersionSource } from './version-source.ts';

/** As long as an API server waits for its cache when a client asks for a later resourceVersion. */
const patienceMs = 3_000;
const lookEveryMs = 100;

/**
 * Returns the version that applies at the resourceVersion `from` or later. A source that reads from a cache may be behind
 * another replica, so it is waited for. Throws a StatusError 410 when `from` is not reached: the client has seen a
 * state that does not exist here, such as that of a deleted ConfigRollout, and would miss changes in silence.
 */
export async function catchUp(
  source: VersionSource,
  first: AppliedVersion,
  from: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<AppliedVersion> {
  const until = clock.monotonic() + patienceMs;
  let seen: AppliedVersion | undefined = first;
  while (seen === undefined || isAhead(from, seen.resourceVersion)) {
    if (source.isCached !== true || clock.monotonic() >= until)
      throw expired(from, seen?.resourceVersion ?? first.resourceVersion);
    await sleep(clock, lookEveryMs, signal);
    seen = await source.now(signal);
  }
  return seen;
}

/** Whether a client that has seen `from` has seen more than `resourceVersion`. */
export function isAhead(from: string, resourceVersion: string): boolean {
  return isComparable(from) && isComparable(resourceVersion) && compareVersions(from, resourceVersion) > 0;
}

function expired(from: string, current: string): StatusError {
  return new StatusError(
    410,
    'Expired',
    `resourceVersion ${from} is too large: the current one is ${current}. Watch again without resourceVersion`,
  );
}
