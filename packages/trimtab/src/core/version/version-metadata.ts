import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { annotations, labels } from '../../api/names.ts';
import type { ConfigKind } from '../references/references.ts';

/** A version, read from its head: everything but its content, which its name stands for. */
export interface VersionMetadata {
  kind: ConfigKind;
  namespace: string;
  object: string;
  uid: string;
  rolloutUid: string;
  /** The name of the config that it is a version of. */
  config: string;
  name: string;
  sequence: number;
  contentHash: string;
  state: string | undefined;
  inUse: boolean;
  rejected: string | undefined;
  madeByHand: boolean;
  ownerReferences: OwnerReference[];
}

/** What is read of a ConfigMap or Secret; its content is not. */
interface MarkedObject {
  kind: ConfigKind;
  namespace: string;
  name: string;
  uid: string;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  ownerReferences: OwnerReference[];
}

/** Undefined for what is no version, or one whose marks somebody has damaged. */
export function versionMetadata(metadata: MarkedObject | undefined): VersionMetadata | undefined {
  if (metadata === undefined) return undefined;
  const rolloutUid = metadata.labels[labels.versionOf];
  const config = metadata.annotations[annotations.config];
  const name = metadata.annotations[annotations.version];
  const hash = metadata.annotations[annotations.contentHash];
  const sequence = Number(metadata.annotations[annotations.sequence]);
  if (rolloutUid === undefined || config === undefined) return undefined;
  if (name === undefined || hash === undefined) return undefined;
  if (!Number.isSafeInteger(sequence) || sequence < 1) return undefined;
  return {
    kind: metadata.kind,
    namespace: metadata.namespace,
    object: metadata.name,
    uid: metadata.uid,
    rolloutUid,
    config,
    name,
    sequence,
    contentHash: hash,
    state: metadata.labels[labels.state],
    inUse: metadata.labels[labels.inUse] === 'true',
    rejected: metadata.annotations[annotations.rejected],
    madeByHand: metadata.annotations[annotations.madeByHand] === 'true',
    ownerReferences: metadata.ownerReferences,
  };
}
