import type { ConfigRollout } from '../../api/config-rollout.ts';

/** Time until the next automatic activation, which `minIntervalSeconds` limits for configs that change often. */
export function tooEarlyMs(rollout: ConfigRollout, now: number): number {
  const { spec } = rollout;
  return spec.version === undefined
    ? intervalLeftMs([rollout], spec.strategy.minIntervalSeconds * 1000, now)
    : 0;
}

/** What is left of an interval since the last activation of these rollouts. */
export function intervalLeftMs(
  rollouts: readonly Pick<ConfigRollout, 'status'>[],
  intervalMs: number,
  now: number,
): number {
  const ends = rollouts.flatMap(({ status }) => status?.history?.[0]?.finishedAt ?? []);
  if (ends.length === 0) return 0;
  const last = Math.max(...ends.map((end) => Date.parse(end)));
  // Bounded by the interval, in case the clock was set back.
  return Math.max(0, Math.min(intervalMs, last + intervalMs - now));
}
