import type { ConfigKey } from '../references/config-key.ts';
import type { Intent } from '../version/intent.ts';
import type { RejectedSet } from './rejection.ts';
import type { ActivationRules, VersionRef } from './types.ts';

/** A config of a namespace with its versions and its desired state, as input of a plan. */
export interface RolloutState {
  config: ConfigKey;
  versions: readonly CandidateVersion[];
  /** See `currentVersion`. Undefined before the first version. */
  current: VersionRef | undefined;
  intent: Intent;
  /** A user requested a version since the last reconciliation, so a rejected version may be tried again. */
  newRequest: boolean;
  /** More edits may follow (coalescing window), or the minimum interval of automatic activations has not passed. */
  coalescing: boolean;
  /** Why the wanted version cannot be activated: a key is missing, or its content was modified. */
  preflight: { reason: 'KeyMissing' | 'VersionModified'; message: string } | undefined;
  /** The activation in progress, according to the status. */
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
  /** All configs of the activation, so an activation that was interrupted at its start resumes with all members. */
  members: readonly ConfigKey[];
  rollingBack: boolean;
}

/** The version that should be current: the version of the intent, or the one that is already current. */
export function wantedVersion({ intent, current, versions, running }: RolloutState): VersionRef | undefined {
  if (intent.want === 'stay') return current;
  if (intent.want === 'version') return versions.find(({ name }) => name === intent.version.name);
  // The requested version does not exist, or not yet: an activation in progress continues.
  return running?.target ?? current;
}
