import type { ConfigRollout } from '../../api/config-rollout.ts';

/** The fields of a rollout that decide which version applies. Others are dropped, as the cache may hold thousands. */
export interface RolloutSummary {
  uid: string;
  resourceVersion: string;
  current: NamedVersion | undefined;
  /** The version that an activation is rolling out. */
  target: NamedVersion | undefined;
}

interface NamedVersion {
  version: string;
  object: string;
}

/** The state of a version for pods. A rejected version is `not-current`. */
export type AppliedState = 'not-current' | 'being-current' | 'current';

export function rolloutSummary({ metadata, status }: ConfigRollout): RolloutSummary {
  const { uid = '', resourceVersion = '' } = metadata;
  const isGoingBack = status?.phase === 'RollingBack' || status?.phase === 'RollbackFailed';
  return {
    uid,
    resourceVersion,
    current: mark(status?.current),
    target: isGoingBack ? undefined : mark(status?.target),
  };
}

export function appliedState({ current, target }: RolloutSummary, object: string): AppliedState {
  if (object === current?.object) return 'current';
  return object === target?.object ? 'being-current' : 'not-current';
}

/** Summaries with equal keys apply the same versions, so clients need no notification. */
export function summaryKey({ uid, current, target }: RolloutSummary): string {
  return [uid, current?.object, target?.object].join(' ');
}

/** The objects of a config that the spec of a pod references. These references are immutable. */
export interface PodReference {
  /** Names of the objects that hold versions. */
  versions: readonly string[];
  original: boolean;
}

/**
 * Returns the object of the version that a pod without an agent should run: the version that its spec references, or
 * the current version if the spec references the config itself. A pod that is reloaded should run what its workload is
 * assigned.
 */
export function assignedVersion({ versions }: PodReference, { current }: RolloutSummary): string | undefined {
  return versions[0] ?? current?.object;
}

function mark(version: NamedVersion | undefined): NamedVersion | undefined {
  return version && { version: version.version, object: version.object };
}
