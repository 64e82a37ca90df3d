import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { annotations, labels } from '../../api/names.ts';
import type { ConfigKind } from '../references/references.ts';

/** The metadata of a version, without its content. */
export interface VersionMetadata {
  kind: ConfigKind;
  namespace: string;
  object: string;
  uid: string;
  rolloutUid: string;
  /** The name of the version's config. */
  config: string;
  name: string;
  sequence: number;
  contentHash: string;
  state: string | undefined;
  /** How often a version of the config became current, counted when this one did last; 0 if it never did. */
  currentCount: number;
  inUse: boolean;
  rejected: string | undefined;
  madeByHand: boolean;
  /** The user who purges the version; see guard-versions. */
  purgedBy?: string;
  ownerReferences: OwnerReference[];
}

/** The metadata of a ConfigMap or Secret; the content is not read. */
interface MarkedObject {
  kind: ConfigKind;
  namespace: string;
  name: string;
  uid: string;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  ownerReferences: OwnerReference[];
}

/** Returns undefined when the object is not a version or its metadata is damaged. */
export function versionMetadata(metadata: MarkedObject | undefined): VersionMetadata | undefined {
  if (metadata === undefined) return undefined;
  const rolloutUid = metadata.labels[labels.versionOf];
  const config = metadata.annotations[annotations.config];
  const name = metadata.annotations[annotations.version];
  const hash = metadata.annotations[annotations.contentHash];
  const sequence = Number(metadata.annotations[annotations.sequence]);
  const purgedBy = metadata.annotations[annotations.purge];
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
    currentCount: countOf(metadata.annotations[annotations.currentCount]),
    inUse: metadata.labels[labels.inUse] === 'true',
    rejected: metadata.annotations[annotations.rejected],
    madeByHand: metadata.annotations[annotations.madeByHand] === 'true',
    ...(purgedBy !== undefined && { purgedBy }),
    ownerReferences: metadata.ownerReferences,
  };
}

/**
 * Sorts versions in the order of their creation. Two writers at the same time may have used the same sequence number;
 * then the object's name decides, so that all readers agree.
 */
export function byCreation(
  a: Pick<VersionMetadata, 'sequence' | 'object'>,
  b: Pick<VersionMetadata, 'sequence' | 'object'>,
): number {
  if (a.sequence !== b.sequence) return a.sequence - b.sequence;
  return a.object < b.object ? -1 : a.object > b.object ? 1 : 0;
}

function countOf(text: string | undefined): number {
  const count = Number(text ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
