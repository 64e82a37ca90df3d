/** Every name that Trimtab puts on objects of a cluster. None is spelt a second time anywhere. */
const domain = 'trimtab.dev';

export const labels = {
  /** On an original and its versions: one group. The config's name, or its hash when that is too long. */
  config: `${domain}/config`,
  /** On versions only: the uid of the ConfigRollout they belong to. */
  versionOf: `${domain}/version-of`,
  /** On versions: current | being-current | not-current | rejected. */
  state: `${domain}/state`,
  /** On versions: named by a live pod, ReplicaSet or ControllerRevision. */
  inUse: `${domain}/in-use`,
  /** On workloads: hash of the references that Trimtab assigned. A label, because it survives `rollout undo`. */
  assigned: `${domain}/assigned`,
} as const;

export const annotations = {
  // What people write.
  manage: `${domain}/manage`,
  release: `${domain}/release`,
  /** On a config: names the version that its present content becomes. On a version: its name. */
  version: `${domain}/version`,
  restart: `${domain}/restart`,
  wave: `${domain}/wave`,
  // What Trimtab writes.
  /** On a version: the whole name of its config, which may be too long for the label. */
  config: `${domain}/config`,
  sequence: `${domain}/sequence`,
  contentHash: `${domain}/content-hash`,
  /** On a version: somebody made it through the API, and only somebody may delete it. */
  madeByHand: `${domain}/made-by-hand`,
  createdBy: `${domain}/created-by`,
  rejected: `${domain}/rejected`,
  /** On the version of a Secret: the type of the original, since all versions have one type of their own. */
  originalType: `${domain}/original-type`,
  /** On a version as the gateway shows it: the name of the object that holds it. */
  object: `${domain}/object`,
  /** On the current version as the gateway shows it: the version that is about to take its place. */
  beingCurrent: `${domain}/being-current`,
  /** On a ConfigRollout as the gateway answers it: where to watch what becomes of it. */
  watch: `${domain}/watch`,
  /** On a ConfigRollout: every version name ever used, and the high-water mark. */
  ledger: `${domain}/ledger`,
  /** On a ConfigRollout: the workloads that opted in, so that an opt-in which vanishes is noticed and not obeyed. */
  workloads: `${domain}/workloads`,
  /** On a ConfigRollout: who set `spec.version`, and to which one. */
  requestedBy: `${domain}/requested-by`,
  requestedVersion: `${domain}/requested-version`,
  /** On a ConfigRollout: a random id of the last time somebody did so, so that asking once more is seen as well. */
  requestId: `${domain}/request-id`,
  /** On a workload: the activation that moved it, and the references it had before. */
  assignment: `${domain}/assignment`,
} as const;

/** The type of every version of a Secret, so that they can be selected or excluded. */
export const versionSecretType = `${domain}/version`;

/** The version name that nobody may use: it is the word for whichever version is current. */
export const reservedVersionName = 'current';

/** Where Trimtab's own programs and what belongs to them live, whatever they manage. */
export const systemNamespace = 'trimtab-system';

/** On everything that \`trimtab manifests\` prints. */
export const ownLabels = { 'app.kubernetes.io/name': 'trimtab' } as const;
