import type { ReasonEntry } from './reason-entry.ts';

const nothing = 'Nothing.';

/** Why the conditions of a ConfigRollout have their status. */
export const rolloutReasons = {
  Current: {
    on: 'condition',
    meaning: 'The wanted version is current.',
    remedy: nothing,
  },
  BeingCurrent: {
    on: 'condition',
    meaning: 'An activation is rolling out a version.',
    remedy: 'Wait, or follow it with `kubectl get configrollouts -w`.',
  },
  RollingBack: {
    on: 'condition',
    meaning: 'A workload failed with the new version; all workloads get their previous versions back.',
    remedy: 'Wait; the condition Degraded names the failing pod.',
  },
  RollbackFailed: {
    on: 'condition and event',
    meaning: 'A policy, a quota or a missing right denies a write that the rollback needs.',
    remedy: 'Remove what denies the write; the message names it. The controller retries by itself.',
  },
  Failed: {
    on: 'condition',
    meaning: 'The wanted version was rolled back, or cannot be activated.',
    remedy: 'See the condition Degraded.',
  },
  Paused: {
    on: 'condition',
    meaning:
      'The rollout is paused by `spec.paused`, or waits for a person because `onFailure` is Pause or the result is inconclusive.',
    remedy: 'Set `spec.paused` to false, or resolve what the condition Degraded names.',
  },
  AsExpected: {
    on: 'condition',
    meaning: 'No problem is known.',
    remedy: nothing,
  },
  AnnotationGone: {
    on: 'condition',
    meaning:
      'The opt-in of a managed workload is gone; `kubectl replace` and `kubectl rollout undo` drop annotations. The workload stays managed.',
    remedy: 'Restore the opt-in, or set `trimtab.dev/manage: "false"` on the workload to end management.',
  },
  Rejected: {
    on: 'condition and event',
    meaning: 'The wanted version was rolled back before and is not retried by itself.',
    remedy: 'Edit the config, or request the version again.',
  },
  UnknownVersion: {
    on: 'condition and event',
    meaning: '`spec.version` names a version that does not exist.',
    remedy: 'Set `spec.version` to an existing version, or remove it.',
  },
  KeyMissing: {
    on: 'condition and event',
    meaning:
      'The wanted version lacks a key that a pod template references, so its pods could not start. No pod was touched.',
    remedy: 'Add the key to the config, or mark the reference optional.',
  },
  VersionModified: {
    on: 'condition and event',
    meaning: 'The content of the wanted version differs from its content hash.',
    remedy: 'Delete the version and create it again from trusted content.',
  },
  PinnedToRejected: {
    on: 'condition and event',
    meaning: 'A workload was set to a version that was rolled back, most likely by `kubectl rollout undo`.',
    remedy: 'Run the command in the message, or activate another version.',
  },
  SecretTypeRefused: {
    on: 'condition and event',
    meaning: 'Service account tokens and bootstrap tokens belong to the cluster and have no versions.',
    remedy: 'Keep such Secrets unmanaged.',
  },
  SecretsNotManaged: {
    on: 'condition and event',
    meaning: 'The controller runs with --no-secrets.',
    remedy: 'Run the controller with Secrets, or delete the ConfigRollout.',
  },
  VersionNameTaken: {
    on: 'condition and event',
    meaning:
      'The annotation `trimtab.dev/version` names a version that exists with other content, or existed before.',
    remedy: 'Choose another name, or remove the annotation.',
  },
  VersionNameInvalid: {
    on: 'condition and event',
    meaning: 'The annotation `trimtab.dev/version` is not a valid version name.',
    remedy: 'Correct the annotation.',
  },
  Locked: {
    on: 'condition and event',
    meaning: 'The config was edited although its release mode is Locked. The edit is not released.',
    remedy: 'Add versions through the API, or set `spec.release` to Auto or Manual.',
  },
  WrongName: {
    on: 'condition and event',
    meaning: 'The ConfigRollout does not have the name that belongs to its config.',
    remedy: 'Delete it; the controller creates the right one.',
  },
  ConfigNotFound: {
    on: 'condition and event',
    meaning: 'The config does not exist and has no versions.',
    remedy: 'Create the config, or delete the ConfigRollout.',
  },
} as const satisfies Record<string, ReasonEntry>;
