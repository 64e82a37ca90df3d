import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../api/config-body.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { annotations } from '../api/names.ts';
import { findCurrentVersion } from '../core/activation/current-version.ts';
import { parseRejection } from '../core/activation/rejection.ts';
import { unmanagedVersionName } from '../core/version/unmanaged-version.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import { stateOf, type VersionState } from '../core/version/version-state.ts';

/** One item of a list of versions, without the content and its hash, which would let people guess that of a Secret. */
export interface VersionLine {
  metadata: { name: string; namespace: string; uid: string; creationTimestamp: string };
  config: { kind: string; name: string };
  /** Name of the ConfigMap or Secret that holds the version. */
  object: string;
  sequence: number;
  state: VersionState;
  /** Whether an existing pod, ReplicaSet or ControllerRevision references it; unknown for an unmanaged config. */
  inUse?: boolean;
  madeByHand: boolean;
  createdBy: string;
  /** Why the version was rolled back; absent when it was not. */
  rejected?: string;
}

export function versionLines(
  rollout: ConfigRollout,
  found: readonly { version: VersionMetadata; metadata: ObjectMeta }[],
): VersionLine[] {
  const versions = found.map(({ version }) => version);
  const current = findCurrentVersion(versions, rollout.status);
  return found.map(({ version, metadata }) => ({
    metadata: {
      name: version.name,
      namespace: version.namespace,
      uid: version.uid,
      creationTimestamp: metadata.creationTimestamp ?? '',
    },
    config: { kind: version.kind, name: version.config },
    object: version.object,
    sequence: version.sequence,
    state: stateOf(rollout, version.object === current?.object, version),
    inUse: version.inUse,
    madeByHand: version.madeByHand,
    createdBy: metadata.annotations?.[annotations.createdBy] ?? '',
    ...(version.rejected !== undefined && { rejected: reasonIn(version.rejected) }),
  }));
}

/** The only version of an unmanaged config is its content. Nothing is written for it. */
export function unmanagedLine(live: ConfigBody): VersionLine {
  const { name = '', namespace = '', uid = '', creationTimestamp = '' } = live.metadata;
  return {
    metadata: { name: unmanagedVersionName(live), namespace, uid, creationTimestamp },
    config: { kind: live.kind ?? '', name },
    object: name,
    sequence: 1,
    state: 'current',
    madeByHand: false,
    createdBy: '',
  };
}

function reasonIn(annotation: string): string {
  return parseRejection(annotation)?.reason ?? annotation;
}
