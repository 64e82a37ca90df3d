import type { ConfigRolloutSpec } from '../../api/config-rollout.ts';
import { byCreation } from '../version/version-metadata.ts';

/** The fields of a version that retention uses. */
export interface KeptVersion {
  /** Versions are ordered by this number, never by timestamps. */
  sequence: number;
  /** Decides between two versions with the same sequence number. */
  object: string;
  /** The version has the name of a deleted one. It goes as soon as nothing references it. */
  isVoid: boolean;
  /** The rollout needs the version; see retention-needs.ts. */
  needed: boolean;
  /**
   * Which objects reference the version. `owners`: only ReplicaSets and ControllerRevisions that own it, at least one
   * of which is not being deleted, so the garbage collector deletes the version with the last of them. `leaving`: the
   * last of these owners is being deleted, and nothing is done until it is gone. `others`: any other object, such as
   * a pod.
   */
  users: 'none' | 'owners' | 'leaving' | 'others';
  ownedByRollout: boolean;
}

/** The writes may be made in any order, interrupted at any point and planned again. */
export interface RetentionPlan<T> {
  /** Void, or beyond the limit and not referenced. Oldest first. */
  delete: T[];
  /** Beyond the limit and owned by old revisions: without the rollout as owner, they are deleted with the last one. */
  release: T[];
  /** The rollout must own these versions (again); otherwise they would be deleted with their last revision. */
  own: T[];
}

/**
 * Retains the newest `historyLimit` versions to allow rollback. Versions that the rollout needs and versions that
 * pods use are always retained and do not count towards the limit. Versions that only old revisions reference count.
 */
export function planRetention<T extends KeptVersion>(
  versions: readonly T[],
  historyLimit: number,
): RetentionPlan<T> {
  const voids = versions.filter(({ isVoid, users }) => isVoid && users === 'none');
  const beyond = versions
    .filter(({ isVoid, needed, users }) => !isVoid && !needed && users !== 'others')
    .sort((a, b) => byCreation(b, a))
    .slice(Math.max(0, historyLimit))
    .reverse();
  const goes = new Set(beyond);
  return {
    delete: [...voids, ...beyond.filter(({ users }) => users === 'none')],
    release: beyond.filter(({ users, ownedByRollout }) => users === 'owners' && ownedByRollout),
    own: versions.filter((version) => !goes.has(version) && !version.isVoid && !version.ownedByRollout),
  };
}

/** Fewer versions of Secrets are retained: old credentials are rarely needed again and are a risk if they leak. */
const defaultLimit = { ConfigMap: 10, Secret: 3 } as const;

export function historyLimitOf({ config, historyLimit }: ConfigRolloutSpec): number {
  return historyLimit ?? defaultLimit[config.kind];
}
