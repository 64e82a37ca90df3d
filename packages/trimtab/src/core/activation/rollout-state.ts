import type { ConfigKey } from '../references/config-key.ts';
import type { Intent } from '../version/intent.ts';
import type { RejectedSet } from './rejection.ts';
import type { ActivationRules, VersionRef } from './types.ts';

/** One config of a namespace with its versions and what is asked of it, as a plan needs it. */
export interface RolloutState {
  config: ConfigKey;
  versions: readonly CandidateVersion[];
  /** See `currentVersion`. Undefined before the first version. */
  current: VersionRef | undefined;
  intent: Intent;
  /** A person has named a version since the last look: what was rejected may be tried again. */
  newRequest: boolean;
  /** Edits may still follow (the coalescing window), or it is too early for another automatic activation. */
  coalescing: boolean;
  /** Why the wanted version can't be activated: it lacks a key that a workload names. */
  preflight: string | undefined;
  /** What the status says is under way. */
  running: RunningActivation | undefined;
  rules: ActivationRules;
}

export interface CandidateVersion extends VersionRef {
  sequence: number;
  labelledCurrent: boolean;
  rejections: readonly RejectedSet[];
}

interface RunningActivation {
  activation: string;
  target: VersionRef;
  /** All configs of the activation, so that one that was killed while it began is found whole again. */
  members: readonly ConfigKey[];
  rollingBack: boolean;
}

/** The version that a rollout wants to be current: its intent, or what is current already. */
export function wantedVersion({ intent, current, versions, running }: RolloutState): VersionRef | undefined {
  if (intent.want === 'stay') return current;
  if (intent.want === 'version') return versions.find(({ name }) => name === intent.version.name);
  // A wish that can't be met yet, or never: what is under way goes on.
  return running?.target ?? current;
}
