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
    meaning:
      'A workload failed with the new version, or a user aborted the activation; all workloads get their previous versions back.',
    remedy: 'Wait; the condition Degraded names the failing pod, or who aborted it.',
  },
  RollbackFailed: {
    on: 'condition and event',
    meaning: 'A policy, a quota or a missing right denies a write that the rollback needs.',
    remedy: 'Remove what denies the write; the message names it. The controller retries by itself.',
  },
  UpdateDenied: {
    on: 'condition and event',
    meaning: 'A policy, a quota or a missing right denies the update of a workload.',
    remedy: 'Remove what denies the write; the message names it. The controller retries by itself.',
  },
  Parked: {
    on: 'condition',
    meaning: 'No workload can judge the version. It is neither current nor rejected and holds no workload.',
    remedy: 'Resolve what the message names; the rollout continues by itself.',
  },
  Aborted: {
    on: 'condition and event',
    meaning:
      'A user aborted the activation by annotation `trimtab.dev/abort`, or all workloads left it, by `kubectl rollout undo` or by deletion. The version before stays current.',
    remedy: 'Edit the config, or set annotation `trimtab.dev/retry` of the ConfigRollout to a new value.',
  },
  NoPods: {
    on: 'condition',
    meaning: 'The version is current and was not judged, because no workload has desired pods.',
    remedy: nothing,
  },
  Pinned: {
    on: 'condition and event',
    meaning:
      'A workload keeps its versions. A user pinned it by annotation `trimtab.dev/pin`, or another client chose the versions, by `kubectl rollout undo` or GitOps.',
    remedy:
      'Run `trimtab unpin`, or remove the annotation. Without the annotation: undo to the revision with the current version, or release another version.',
  },
  NoVersion: {
    on: 'condition',
    meaning: 'The config has no version yet.',
    remedy: 'Wait.',
  },
  Assigning: {
    on: 'condition',
    meaning: 'A workload is getting its version: the pod template or some pods still reference another one.',
    remedy: 'Wait.',
  },
  EditPending: {
    on: 'condition',
    meaning:
      'The config was edited, and the edit is not released yet: edits in quick succession become one version.',
    remedy: 'Wait.',
  },
  WaitingForInterval: {
    on: 'condition and event',
    meaning:
      '`minIntervalSeconds`, or the pause period of a Deployment (`deployment.reloader.stakater.com/pause-period`), has not passed since the last activation.',
    remedy: 'Wait, or lower `minIntervalSeconds` or the pause period.',
  },
  WaitingForOthers: {
    on: 'condition and event',
    meaning: 'An activation of another config is updating a workload that this config shares.',
    remedy: 'Wait.',
  },
  WaitingForDelete: {
    on: 'condition and event',
    meaning: 'The update strategy of a workload is OnDelete.',
    remedy: 'Delete its pods to update them.',
  },
  WaitingForResume: {
    on: 'condition and event',
    meaning: 'A Deployment is paused.',
    remedy: 'Run `kubectl rollout resume`.',
  },
  WaitingForPartition: {
    on: 'condition and event',
    meaning: 'The partition of a StatefulSet keeps all of its pods on their old template.',
    remedy: 'Lower the partition.',
  },
  ScaledToZero: {
    on: 'condition and event',
    meaning: 'A workload was scaled to zero during the activation, so nothing can judge the version.',
    remedy: 'Scale the workload up.',
  },
  FailedBefore: {
    on: 'condition and event',
    meaning:
      'The pods of a workload fail as they did before the activation, which says nothing about the version.',
    remedy: 'Repair the workload; the message names the failing pod.',
  },
  NeverHealthy: {
    on: 'condition and event',
    meaning: 'A workload that was never healthy fails, which says nothing about the version.',
    remedy: 'Repair the workload; the message names the failing pod.',
  },
  CoApplied: {
    on: 'condition',
    meaning:
      'Two managers apply the same reference of a workload server-side. Each apply conflicts with the version that the other manager has.',
    remedy:
      'Remove the reference from the manifest of one of the two, or set `trimtab.dev/references: admission` on the workload.',
  },
  PodsNotRewritten: {
    on: 'condition',
    meaning:
      'A workload wants admission to write versions into its pods, and nothing does so here: the controller runs without `--webhook` and `--mutating-policies`, the API server lacks the policies or the webhook, or the namespace is kube-system or trimtab-system. Its pod template names the versions instead. Or a pod reads the live config, because nothing has written the assigned version into it.',
    remedy:
      'Apply the output of `trimtab manifests`; the message names what is missing. Or remove `trimtab.dev/references: admission`. Delete a pod that reads the live config.',
  },
  VersionNotFound: {
    on: 'condition',
    meaning:
      'Annotation `trimtab.dev/versions` of a pod template assigns an object that does not exist, or that is not a version of the config. The workload keeps it until the next activation.',
    remedy: 'Set the annotation to a version of the config, or run `kubectl rollout undo`.',
  },
  ReferencesNotManaged: {
    on: 'condition',
    meaning:
      'A managed workload references a config that has no version. The reference stays as it is written.',
    remedy: 'Create the config or correct it, or keep it unmanaged.',
  },
  KeyNotFound: {
    on: 'condition',
    meaning:
      'A pod template references a key that the wanted version lacks. The current version lacks it, too, or the workload has no pods.',
    remedy: 'Add the key to the config, or remove the reference.',
  },
  PinInvalid: {
    on: 'condition',
    meaning:
      'Annotation `trimtab.dev/pin` of a workload is not valid. The workload keeps the versions that it has.',
    remedy: 'Run `trimtab pin` or `trimtab unpin`, or correct the annotation.',
  },
  VersionRefused: {
    on: 'condition and event',
    meaning: 'A policy, a quota or a missing right denies the creation of a version.',
    remedy: 'Remove what denies the write; the message names it. The controller retries by itself.',
  },
  Failed: {
    on: 'condition',
    meaning: 'The wanted version was rolled back, or cannot be activated.',
    remedy: 'See the condition Degraded.',
  },
  Paused: {
    on: 'condition and event',
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
  OptOutWaits: {
    on: 'condition and event',
    meaning:
      'The workload opted out, and the config holds content that is not current. The workload stays managed meanwhile.',
    remedy: 'Wait for the rollout, or edit or create the config; the message names it.',
  },
  EnvironmentVariables: {
    on: 'condition',
    meaning:
      'A container of a reloaded workload reads the config as environment variables, which cannot change in a running container. It keeps the version that its pod started with.',
    remedy: 'Mount the config as a volume, or have the application read `MY_CONFIG_ENDPOINT`.',
  },
  NoAgent: {
    on: 'condition',
    meaning:
      'A workload requests a reload by `trimtab.dev/restart: "false"`, and its pods have no agent that reloads. They are replaced to get a new version.',
    remedy:
      'Start the controller with --agent-image, or remove the annotation. Without it the pods are replaced.',
  },
  Rejected: {
    on: 'condition and event',
    meaning: 'The wanted version was rolled back before and is not retried by itself.',
    remedy: 'Edit the config, or set annotation `trimtab.dev/retry` of the ConfigRollout to a new value.',
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
  SecretNotMountable: {
    on: 'condition and event',
    meaning:
      'The ServiceAccount of a workload has the annotation `kubernetes.io/enforce-mountable-secrets`, so that Kubernetes refuses pods that use a Secret which it does not list, and so each version of a Secret. No pod was touched.',
    remedy:
      'Remove the annotation from the ServiceAccount that the message names, or leave the Secret out of `trimtab.dev/manage`.',
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
  ConfigImmutable: {
    on: 'condition',
    meaning:
      'A Locked config has `immutable: true`, so it cannot be updated to the current version. Pods that Trimtab does not manage get an older one.',
    remedy: 'Delete the config and create it again without `immutable`; the message names the version.',
  },
  ConfigTypeDiffers: {
    on: 'condition',
    meaning:
      'A Locked Secret has another type than its current version. The type of a Secret cannot change, so the Secret is not updated.',
    remedy: 'Delete the Secret and create it again with the type of the version.',
  },
  ConfigWriteDenied: {
    on: 'condition',
    meaning: 'A policy or a missing right denies the update of a Locked config to the current version.',
    remedy: 'Remove what denies the write; the message names it. The controller retries by itself.',
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
