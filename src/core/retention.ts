/** What retention must know of a version. */
export interface KeptVersion {
  name: string;
  /** Order comes from this number and never from timestamps. */
  sequence: number;
  /** Current, or the target of an activation under way. */
  isCurrentOrTarget: boolean;
  /** Named by a live pod, ReplicaSet or ControllerRevision. */
  inUse: boolean;
  /** Made by a person through the API: theirs to delete. */
  madeByHand: boolean;
}

/**
 * The versions to delete, oldest first: what lies beyond the newest `historyLimit` and nothing needs. Versions
 * that something needs do not use up the limit of the others.
 */
export function toDelete<T extends KeptVersion>(versions: readonly T[], historyLimit: number): T[] {
  return versions
    .filter((version) => !version.isCurrentOrTarget && !version.inUse && !version.madeByHand)
    .sort((a, b) => b.sequence - a.sequence)
    .slice(Math.max(0, historyLimit))
    .reverse();
}
