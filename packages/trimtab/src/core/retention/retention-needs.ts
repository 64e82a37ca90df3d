import type { ConfigRollout } from '../../api/config-rollout.ts';

/** A version, as far as it matters to whether its rollout needs it. */
interface RolloutVersion {
  name: string;
  object: string;
  contentHash: string;
  state: string | undefined;
  madeByHand: boolean;
}

/** What the cluster knows beside the rollout. */
interface ClusterFacts {
  /** Hash of the config's present content. */
  liveHash: string | undefined;
  /** Whether a workload would get this object back if the activation under way failed. */
  isRollbackTarget(object: string): boolean;
}

/**
 * Whether the rollout can't do without a version:
 * - It is current or being made so. Status and label both count: either may be the older one.
 * - It is asked for by name.
 * - Its content is the config's: it would be made anew at once, and a rejection of it would be forgotten.
 * - A workload goes back to it when the activation under way fails.
 * - A person made it: it is theirs to delete.
 *
 * While nobody knows what is current (the status is empty), every version may be it.
 */
export function needsVersion(
  { spec, status }: ConfigRollout,
  { liveHash, isRollbackTarget }: ClusterFacts,
): (version: RolloutVersion) => boolean {
  const { current, target, observed } = status ?? {};
  if (current === undefined) return () => true;
  const names = new Set([current.version, target?.version, spec.version]);
  const objects = new Set([current.object, target?.object]);
  const hashes = new Set([liveHash, observed?.liveHash]);
  return ({ name, object, contentHash, state, madeByHand }) =>
    madeByHand ||
    state === 'current' ||
    state === 'being-current' ||
    names.has(name) ||
    objects.has(object) ||
    hashes.has(contentHash) ||
    (target !== undefined && isRollbackTarget(object));
}
