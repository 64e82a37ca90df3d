import type { ReasonEntry } from './reason-entry.ts';

const nothing = 'Nothing.';

/** Reasons that only Events on ConfigRollouts, configs and workloads have; conditions do not use them. */
export const eventReasons = {
  VersionCreated: {
    on: 'event',
    meaning: 'The content of the config became a version that is not rolled out by itself.',
    remedy: 'Set spec.version of the ConfigRollout to the version to roll it out.',
  },
  Locked: {
    on: 'event',
    meaning:
      'The content of a Locked config was not a version: it was edited or created without the API, or before the config was Locked. It became a version that is not rolled out, and the config gets the content of the current version.',
    remedy: 'Activate the version, or delete it. Add versions through the API.',
  },
  ActivationStarted: { on: 'event', meaning: 'The rollout of a version began.', remedy: nothing },
  VersionCurrent: { on: 'event', meaning: 'A version became current.', remedy: nothing },
  RolledBack: {
    on: 'event',
    meaning: 'A version failed and was rolled back.',
    remedy: 'Edit the config; the condition Degraded names the failing pod.',
  },
  LedgerDamaged: {
    on: 'event',
    meaning:
      'The annotation `trimtab.dev/ledger` cannot be parsed and is rebuilt from the existing versions.',
    remedy: 'Do not edit the annotation. Names of versions that were deleted before may be used again.',
  },
  ObjectNameTaken: {
    on: 'event',
    meaning: 'A ConfigMap or Secret that is not a version has the name that a version needs.',
    remedy: 'Delete or rename that object.',
  },
  OwnerNotFound: {
    on: 'event',
    meaning:
      'An ownerReference of a config names a workload that does not exist, so Kubernetes deletes the config.',
    remedy: 'Create the workload first and use its uid, or opt in with `trimtab.dev/manage` on the workload.',
  },
  DeletedWithOwner: {
    on: 'event',
    meaning: 'The config is owned by the workload that uses it, so Kubernetes deletes it with that workload.',
    remedy: 'Opt in with `trimtab.dev/manage` on the workload to keep the config.',
  },
  RolloutNameTaken: {
    on: 'event',
    meaning:
      'The ConfigRollout of another config already has the name that the ConfigRollout of this config needs.',
    remedy: 'Rename one of the two configs.',
  },
  InvalidAnnotation: {
    on: 'event',
    meaning:
      'An annotation of Trimtab, or of Reloader with `--reloader-annotations`, has a value that is not valid and is ignored. Or an annotation of Trimtab names a config that the pod template does not reference.',
    remedy: 'Correct the annotation.',
  },
  ReloaderAnnotationIgnored: {
    on: 'event',
    meaning:
      'The controller runs with `--reloader-annotations`, and an annotation of Reloader on the workload has no effect here. Jobs, CronJobs and Argo Rollouts are not updated at all.',
    remedy: 'Do what the message says, or remove the annotation. See the guide *From Reloader*.',
  },
  HashedConfigName: {
    on: 'event',
    meaning:
      'The workload references another config that kustomize generated under the same base name. A change of its content is a new config for Trimtab, which is current at once and cannot be rolled back.',
    remedy:
      'Set `disableNameSuffixHash: true` in the kustomization, or leave the config unmanaged so that kustomize rolls it out.',
  },
  VersionsKeptInTemplate: {
    on: 'event',
    meaning:
      'The workload wants admission to write versions into its pods, and its owner has written a version into its pod template again after the controller had replaced it. The pod template stays as it is.',
    remedy: 'Name the config itself in the manifest, or remove `trimtab.dev/references: admission`.',
  },
  ReloadNotAvailable: {
    on: 'event',
    meaning:
      'The workload requests a reload without a restart, and its pods have no agent that reloads. They are replaced to get a new version.',
    remedy: 'Nothing, or remove `trimtab.dev/restart: "false"`.',
  },
  OptedOut: {
    on: 'event',
    meaning: 'The workload references the live config again and is no longer managed.',
    remedy: nothing,
  },
} as const satisfies Record<string, ReasonEntry>;
