import type { ConfigRolloutSpec } from '../../api/config-rollout.ts';

/** What retention must know of a version. */
export interface KeptVersion {
  /** Order comes from this number and never from timestamps. */
  sequence: number;
  /** The rollout can't do without it: see retention-needs.ts. */
  needed: boolean;
  /**
   * Who names it. `owners`: nobody but ReplicaSets and ControllerRevisions that own it, at least one of them to
   * stay, so that the garbage collector sees to it. `leaving`: the last of those is just going, and nothing is to
   * be done before it is gone. `others`: anybody else, a pod for instance.
   */
  users: 'none' | 'owners' | 'leaving' | 'others';
  ownedByRollout: boolean;
}

/** Each list can be written in any order, stopped at any point and planned anew. */
export interface RetentionPlan<T> {
  /** Beyond the limit, and nobody names them. Oldest first. */
  delete: T[];
  /** Beyond the limit, and old revisions own them: without the rollout as an owner they go with the last of those. */
  release: T[];
  /** The rollout must own them (again): otherwise they would go with their last revision. */
  own: T[];
}

/**
 * The newest `historyLimit` versions stay to go back to. Those that the rollout needs and those that run
 * somewhere stay anyway and do not use up the limit; those that only old revisions name do.
 */
export function planRetention<T extends KeptVersion>(
  versions: readonly T[],
  historyLimit: number,
): RetentionPlan<T> {
  const beyond = versions
    .filter(({ needed, users }) => !needed && users !== 'others')
    .sort((a, b) => b.sequence - a.sequence)
    .slice(Math.max(0, historyLimit))
    .reverse();
  const goes = new Set(beyond);
  return {
    delete: beyond.filter(({ users }) => users === 'none'),
    release: beyond.filter(({ users, ownedByRollout }) => users === 'owners' && ownedByRollout),
    own: versions.filter((version) => !goes.has(version) && !version.ownedByRollout),
  };
}

/** Old passwords are worth more to a thief than to the people who changed them: fewer copies are kept. */
const defaultLimit = { ConfigMap: 10, Secret: 3 } as const;

export function historyLimitOf({ config, historyLimit }: ConfigRolloutSpec): number {
  return historyLimit ?? defaultLimit[config.kind];
}
