import type { ConfigKey } from '../references/config-key.ts';
import type { Intent } from '../version/intent.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import type { AbortRequest } from './abort.ts';
import type { RejectedSet } from './rejection.ts';
import type { ActivationRules, VersionRef } from './types.ts';

/** Why a version cannot be activated: it lacks a key, its content was modified, or pods are not allowed to use it. */
export const preflightReasons = ['KeyMissing', 'VersionModified', 'SecretNotMountable'] as const;

type PreflightReason = (typeof preflightReasons)[number];

/** A config of a namespace with its versions and its desired state, as input of a plan. */
export interface RolloutState {
  config: ConfigKey;
  versions: readonly CandidateVersion[];
  /** See `currentVersion`. Undefined before the first version. */
  current: VersionRef | undefined;
  intent: Intent;
  /** A user requested a version since the last reconciliation, so a rejected version may be tried again. */
  newRequest: boolean;
  /** More edits may follow (coalescing window), or the edit is about to become a version: neighbours wait, too. */
  coalescing: boolean;
  /** The minimum interval of automatic activations has not passed. Only this config waits. */
  tooEarly: boolean;
  /** Why the wanted version cannot be activated. */
  preflight: { reason: PreflightReason; message: string } | undefined;
  /** The activation in progress, according to the status. */
  running: RunningActivation | undefined;
  /** The activation that a user asks to abort, whether or not it is in progress. */
  abort?: AbortRequest | undefined;
  /** The name of the version that is rolled out without a bake time, because its request says so. */
  unbaked?: string | undefined;
  rules: ActivationRules;
}

export interface CandidateVersion extends VersionRef {
  contentHash: string;
  sequence: number;
  labelledCurrent: boolean;
  /** How often a version of the config became current, counted when this one did; 0 for a version that never did. */
  currentCount: number;
  rejections: readonly RejectedSet[];
  /** A user aborted its activation, or users took all workloads out of it. */
  aborted: boolean;
}

interface RunningActivation {
  activation: string;
  target: VersionRef;
  /** All configs of the activation, so an activation that was interrupted at its start resumes with all members. */
  members: readonly ConfigKey[];
  rollingBack: boolean;
  /** Why a user aborted it, as recorded on its target. It is rolling back. */
  aborted?: string | undefined;
  parked: boolean;
  /** The workloads of the status that wanted pods. */
  hadPods: readonly WorkloadKey[];
}

/** The version that should be current: the version of the intent, or the one that is already current. */
export function wantedVersion({ intent, current, versions, running }: RolloutState): VersionRef | undefined {
  if (intent.want === 'stay') return current;
  if (intent.want === 'version') return versions.find(({ name }) => name === intent.version.name);
  // The requested version does not exist, or not yet, or the config was deleted: an activation in progress continues.
  return running?.target ?? current;
}

/** The wanted version with its history. */
export function wantedCandidate(rollout: RolloutState): CandidateVersion | undefined {
  const wanted = wantedVersion(rollout);
  return rollout.versions.find(({ object }) => object === wanted?.object);
}

/**
 * Whether the wanted version was not rejected since it was last requested. Such a version is tried before those that
 * have failed.
 */
export function isFresh(rollout: RolloutState): boolean {
  return rollout.newRequest || (wantedCandidate(rollout)?.rejections ?? []).length === 0;
}
