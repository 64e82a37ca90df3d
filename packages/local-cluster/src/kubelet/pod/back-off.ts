import type { BackOff } from './container-record.ts';

export interface BackOffLimits {
  baseMs: number;
  maxMs: number;
}

export const usualBackOff: BackOffLimits = { baseMs: 10_000, maxMs: 300_000 };

/** When a container that ended at `finishedAt` may be restarted; undefined when it may be restarted now. */
export function backOffUntil(
  entry: BackOff | undefined,
  finishedAt: number,
  now: number,
  limits: BackOffLimits,
): number | undefined {
  if (entry === undefined || isForgotten(entry, finishedAt, limits)) return undefined;
  const until = finishedAt + entry.ms;
  return now < until ? until : undefined;
}

/** The entry after one more start. The back-off doubles, and is reset for a container that ran long enough. */
export function nextBackOff(
  entry: BackOff | undefined,
  finishedAt: number,
  now: number,
  { baseMs, maxMs }: BackOffLimits,
): BackOff {
  const ms =
    entry === undefined || isForgotten(entry, finishedAt, { baseMs, maxMs })
      ? baseMs
      : Math.min(entry.ms * 2, maxMs);
  return { ms, updatedAt: now };
}

/** The back-off is reset after a run longer than twice the maximum: ten minutes with Kubernetes' limits. */
function isForgotten({ updatedAt }: BackOff, finishedAt: number, { maxMs }: BackOffLimits): boolean {
  return finishedAt - updatedAt > 2 * maxMs;
}

/** Formats a duration as Go does: `10s`, `2m40s`, `1.5s`, `100ms`. */
export function goDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${(ms - minutes * 60_000) / 1000}s`;
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return `${hours}h${minutes % 60}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
