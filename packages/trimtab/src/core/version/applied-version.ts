import type { ConfigRollout } from '../../api/config-rollout.ts';

/** What a rollout says about which version applies, and nothing else of it: there may be thousands in memory. */
export interface RolloutSummary {
  uid: string;
  resourceVersion: string;
  current: NamedVersion | undefined;
  /** The version that an activation is making current. */
  target: NamedVersion | undefined;
}

interface NamedVersion {
  version: string;
  object: string;
}

/** The proposal's states of a version. One that was rejected is not current, either. */
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

/** Equal as long as nobody could see a difference in what applies. */
export function summaryKey({ uid, current, target }: RolloutSummary): string {
  return [uid, current?.object, target?.object].join(' ');
}

/** Which of a config's objects the spec of a pod names. It is immutable, so that this never changes. */
export interface PodReference {
  /** Versions, by the names of their objects. */
  versions: readonly string[];
  original: boolean;
}

/**
 * The object of the version that a pod should run: the one that its spec names; where that is the original, what is
 * current. (The thresholds of a reload will decide here between current and target, by the rank of the pod.)
 */
export function assignedVersion({ versions }: PodReference, { current }: RolloutSummary): string | undefined {
  return versions[0] ?? current?.object;
}

function mark(version: NamedVersion | undefined): NamedVersion | undefined {
  return version && { version: version.version, object: version.object };
}
