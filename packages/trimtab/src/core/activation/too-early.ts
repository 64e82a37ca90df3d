import type { ConfigRollout } from '../../api/config-rollout.ts';

/** Time until the next automatic activation, which `minIntervalSeconds` limits for configs that change often. */
export function tooEarlyMs({ spec, status }: ConfigRollout, now: number): number {
  const last = status?.history?.[0]?.finishedAt;
  if (last === undefined || spec.version !== undefined) return 0;
  const intervalMs = spec.strategy.minIntervalSeconds * 1000;
  // Bounded by the interval, in case the clock was set back.
  return Math.max(0, Math.min(intervalMs, Date.parse(last) + intervalMs - now));
}
