/** All label and annotation names of Trimtab. Code uses these constants and never spells a name again. */
const domain = 'trimtab.dev';

export const labels = {
  /** On a config and its versions: the config's name, shortened with a hash when it is too long for a label. */
  config: `${domain}/config`,
  /** On versions only: the uid of their ConfigRollout. */
  versionOf: `${domain}/version-of`,
  /** On versions: the version's name, when it is a valid label value. The annotation always has it. */
  version: `${domain}/version`,
  /** On versions: current | not-current | rejected. The target of an activation is in the status of its rollout. */
  state: `${domain}/state`,
  /** On versions: "true" while a live pod, ReplicaSet or ControllerRevision references the version. */
  inUse: `${domain}/in-use`,
  /** On configs: "true" while release mode Locked applies. A policy denies edits of the data of such a config. */
  locked: `${domain}/locked`,
  /** On workloads: hash of the references that Trimtab assigned. Labels survive `kubectl rollout undo`. */
  assigned: `${domain}/assigned`,
  /** On pods: "true" when the agent was injected. */
  injected: `${domain}/injected`,
} as const;

export const annotations = {
  // Set by users.
  manage: `${domain}/manage`,
  release: `${domain}/release`,
  /** On a config: the name of the version that its present content becomes. On a version: the version's name. */
  version: `${domain}/version`,
  /** On a workload or a pod template: "false" makes the agent reload pods that would be recycled otherwise. */
  restart: `${domain}/restart`,
  /** On a workload or a pod template: the port of the in-pod endpoint. */
  configPort: `${domain}/config-port`,
  /** On a workload or a pod template: how the agent tells containers about a change. */
  reload: `${domain}/reload`,
  /** On a workload or a pod template: what the agent checks after a reload. */
  verify: `${domain}/verify`,
  /** On a workload or a pod template: "true" puts the endpoint's token into the pod's spec, as MY_CONFIG_TOKEN. */
  tokenEnv: `${domain}/token-env`,
  wave: `${domain}/wave`,
  /** On a workload: whether its pod template names versions, or admission writes them into its pods. */
  references: `${domain}/references`,
  /** On a ConfigRollout: any new value requests a version that was rolled back or aborted once more. */
  retry: `${domain}/retry`,
  /** On a ConfigRollout: the id of the activation to abort, from `status.target.activation`. */
  abort: `${domain}/abort`,
  /** On a ConfigRollout: the id of a request (`request-id`) whose version is rolled out without a bake time. */
  skipBake: `${domain}/skip-bake`,
  /** On a workload: the version objects that it keeps, in the format of `versions`. No activation moves it. */
  pin: `${domain}/pin`,
  // Set by Trimtab.
  /** On a version: the full name of its config, which may be too long for the label. */
  config: `${domain}/config`,
  sequence: `${domain}/sequence`,
  contentHash: `${domain}/content-hash`,
  /** On a version: a user created it through the API, so retention never deletes it. */
  madeByHand: `${domain}/made-by-hand`,
  createdBy: `${domain}/created-by`,
  rejected: `${domain}/rejected`,
  /** On a version: the user who purges it. The policy lets this user delete the version although it is in use. */
  purge: `${domain}/purge`,
  /** On a version: how often a version of the config became current, counted when this one did last. */
  currentCount: `${domain}/current-count`,
  /** On the version of a Secret: the type of the config; the version itself has `versionSecretType`. */
  originalType: `${domain}/original-type`,
  /** On a version in a response of the gateway: the name of the object that holds the version. */
  object: `${domain}/object`,
  /** On the current version in a response of the gateway: the version that is being rolled out to replace it. */
  beingCurrent: `${domain}/being-current`,
  /** On a ConfigRollout in a response of the gateway: where to watch the progress of the activation. */
  watch: `${domain}/watch`,
  /** On a ConfigRollout: the names of deleted versions, and the highest sequence number. */
  ledger: `${domain}/ledger`,
  /** On a ConfigRollout: the workloads that opted in. A lost opt-in is reported and does not end management. */
  workloads: `${domain}/workloads`,
  /** On a ConfigRollout: the user who set `spec.version`, and the version that the user set. */
  requestedBy: `${domain}/requested-by`,
  requestedVersion: `${domain}/requested-version`,
  /** On a ConfigRollout: a random id of the last request, so a repeated request for the same version is detected. */
  requestId: `${domain}/request-id`,
  /** On a workload: the activation that moved the workload, and its previous references. */
  assignment: `${domain}/assignment`,
  /** In a patch of a workload: the references to change. Admission changes them in the same request and removes this. */
  move: `${domain}/move`,
  /**
   * The assigned version objects of a workload whose template does not name them. On the workload: the agent reloads its
   * pods. On its pod template, and so on its pods: admission writes them into each pod.
   */
  versions: `${domain}/versions`,
  /** On the pod template of such a workload: the annotations that Trimtab has copied from the workload. */
  copied: `${domain}/copied`,
  /** On the pod template of such a workload: the activation that replaced pods without an agent. */
  recycled: `${domain}/recycled`,
  /** On an injected pod: the workload that the pod belongs to, such as `Deployment/web`. */
  workload: `${domain}/workload`,
} as const;

/** The type of all versions of Secrets, so clients can select or exclude them. */
export const versionSecretType = `${domain}/version`;

/** Reserved version name: it stands for the version that is current. */
export const reservedVersionName = 'current';

/** The name of the controller in `managedFields` of the objects that it writes. */
export const controllerManager = 'trimtab';

/** The namespace of Trimtab's own programs and their objects, independent of the namespaces that they manage. */
export const systemNamespace = 'trimtab-system';

/** The Service of the gateway, in the system namespace. */
export const gatewayServiceName = 'trimtab-gateway';

/** The ConfigMap in the system namespace with the CA certificates that clients of the gateway trust. */
export const gatewayTrust = { configMap: 'trimtab-gateway-ca', key: 'ca.crt' } as const;

/** On all objects that `trimtab manifests` prints. */
export const ownLabels = { 'app.kubernetes.io/name': 'trimtab' } as const;
