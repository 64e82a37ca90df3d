import type { ObservedWorkload } from '../workload/observed.ts';
import type { ActivationRules, Hold } from './types.ts';

/** What is remembered of it. Only getting further counts: one that goes up and down must not wait for ever. */
export function holdOf({ available }: ObservedWorkload, before: Hold | undefined, now: number): Hold {
  if (before !== undefined && available <= before.available) return before;
  return { since: now, available };
}

/** How long it waits yet: as long as it would have to be well for, to be called healthy. */
export function holdLeftMs({ since }: Hold, { bakeMs }: ActivationRules, now: number): number {
  return since + bakeMs - now;
}
