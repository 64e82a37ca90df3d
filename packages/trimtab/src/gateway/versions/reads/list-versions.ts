import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { annotations } from '../../../api/names.ts';
import { currentHead } from '../../../core/activation/current-version.ts';
import { parseRejections } from '../../../core/activation/rejection.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import type { VersionHead } from '../../../core/version/version-head.ts';
import { baselineName } from './find-version.ts';
import { stateOf, type VersionState } from './standing.ts';

/** One line of a list of versions: everything but the content. */
export interface VersionLine {
  metadata: { name: string; namespace: string; uid: string; creationTimestamp: string };
  config: { kind: string; name: string };
  /** The ConfigMap or Secret that holds it. */
  object: string;
  sequence: number;
  state: VersionState;
  /** Named by a live pod, ReplicaSet or ControllerRevision; nobody knows of a config that is not managed. */
  inUse?: boolean;
  madeByHand: boolean;
  createdBy: string;
  contentHash: string;
  /** Why it was taken back; missing when it was not. */
  rejected?: string;
}

export function versionLines(
  rollout: ConfigRollout,
  versions: readonly { head: VersionHead; metadata: ObjectMeta }[],
): VersionLine[] {
  const heads = versions.map(({ head }) => head);
  const current = currentHead(heads, rollout.status);
  return versions.map(({ head, metadata }) => ({
    metadata: {
      name: head.name,
      namespace: head.namespace,
      uid: head.uid,
      creationTimestamp: metadata.creationTimestamp ?? '',
    },
    config: { kind: head.kind, name: head.config },
    object: head.object,
    sequence: head.sequence,
    state: stateOf(rollout, head.object === current?.object, head),
    inUse: head.inUse,
    madeByHand: head.madeByHand,
    createdBy: metadata.annotations?.[annotations.createdBy] ?? '',
    contentHash: head.contentHash,
    ...(head.rejected !== undefined && { rejected: reasonIn(head.rejected) }),
  }));
}

/** A config that nobody manages has one version, which is what it holds. Nothing is written for it. */
export function unmanagedLine(live: ConfigBody): VersionLine {
  const { name = '', namespace = '', uid = '', creationTimestamp = '' } = live.metadata;
  return {
    metadata: { name: baselineName, namespace, uid, creationTimestamp },
    config: { kind: live.kind ?? '', name },
    object: name,
    sequence: 1,
    state: 'current',
    madeByHand: false,
    createdBy: '',
    contentHash: contentHash(live),
  };
}

function reasonIn(annotation: string): string {
  return parseRejections(annotation)?.reason ?? annotation;
}
