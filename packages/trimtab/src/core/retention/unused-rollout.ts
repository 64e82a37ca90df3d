/** What keeps a rollout. Everything is true that is not known. */
export interface RolloutUse {
  /** The live ConfigMap or Secret exists. */
  configExists: boolean;
  /** A pod template, pod, ReplicaSet or ControllerRevision references the config or one of its versions. */
  referenced: boolean;
  /** No version was made yet: a person created the rollout in advance, for a config that is still to come. */
  inAdvance: boolean;
}

export type RemovalPlan =
  | { plan: 'keep' }
  /** Unused since `since`; look again after `leftMs`. */
  | { plan: 'wait'; since: number; leftMs: number }
  | { plan: 'remove' };

/**
 * Plans the removal of a rollout, with which its versions go: a deleted Secret must not live on in copies. `since` is
 * the time from which on the rollout was seen unused without interruption; undefined when it was in use until now.
 */
export function planRemoval(
  { configExists, referenced, inAdvance }: RolloutUse,
  { since, now, afterMs }: { since: number | undefined; now: number; afterMs: number },
): RemovalPlan {
  if (configExists || referenced || inAdvance) return { plan: 'keep' };
  const from = since ?? now;
  const leftMs = from + afterMs - now;
  return leftMs > 0 ? { plan: 'wait', since: from, leftMs } : { plan: 'remove' };
}
