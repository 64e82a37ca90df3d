import type { ConfigRollout } from '../../api/config-rollout.ts';

/** The fields of a version that decide whether its rollout needs it. */
interface RolloutVersion {
  name: string;
  object: string;
  contentHash: string;
  state: string | undefined;
  madeByHand: boolean;
}

/** Observed state in addition to the rollout. */
interface ClusterFacts {
  /** Hash of the config's present content. */
  liveHash: string | undefined;
  /** Whether a workload would be reverted to this object if an activation in progress failed, also one of another config. */
  isRollbackTarget(object: string): boolean;
}

/**
 * Returns whether the rollout needs a version:
 * - It is current or being made current. Status and label both count, because either may be stale.
 * - `spec.version` names it.
 * - It has the present content of the config: it would be created again at once, without its rejection.
 * - The status names it as the content that was observed last: the next edit is recognised by comparing with it.
 * - A workload is reverted to it if an activation in progress fails.
 * - A user created it: only users delete it.
 *
 * While the status is empty, the current version is unknown and every version is needed.
 */
export function needsVersion(
  { spec, status }: ConfigRollout,
  { liveHash, isRollbackTarget }: ClusterFacts,
): (version: RolloutVersion) => boolean {
  const { current, target, observed } = status ?? {};
  if (current === undefined) return () => true;
  const names = new Set([current.version, target?.version, spec.version, observed?.liveVersion]);
  const objects = new Set([current.object, target?.object]);
  return ({ name, object, contentHash, state, madeByHand }) =>
    madeByHand ||
    state === 'current' ||
    names.has(name) ||
    objects.has(object) ||
    contentHash === liveHash ||
    isRollbackTarget(object);
}
