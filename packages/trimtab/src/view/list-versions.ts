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

export function versionLines(rollout: ConfigRollout, found: readonly FoundVersion[]): VersionLine[] {
  const versions = found.map(({ version }) => version);
  const current = findCurrentVersion(versions, rollout.status);
  return found.map((each) =>
    lineOf(each, stateOf(rollout, each.version.object === current?.object, each.version)),
  );
}

/**
 * The current version of an unmanaged config is its content. Nothing is written for it. `left` are the versions that
 * remain from the time when the config was managed: old ReplicaSets and ControllerRevisions use them.
 */
export function unmanagedLines(live: ConfigBody | undefined, left: readonly FoundVersion[]): VersionLine[] {
  const lines = left.map((each) => lineOf(each, leftState(each.version)));
  const last = Math.max(0, ...lines.map(({ sequence }) => sequence));
  return live === undefined ? lines : [...lines, { ...liveLine(live), sequence: last + 1 }];
}

interface FoundVersion {
  version: VersionMetadata;
  metadata: ObjectMeta;
}

function leftState({ rejected }: VersionMetadata): VersionState {
  return rejected === undefined ? 'not-current' : 'rejected';
}

function lineOf({ version, metadata }: FoundVersion, state: VersionState): VersionLine {
  return {
    metadata: {
      name: version.name,
      namespace: version.namespace,
      uid: version.uid,
      creationTimestamp: metadata.creationTimestamp ?? '',
    },
    config: { kind: version.kind, name: version.config },
    object: version.object,
    sequence: version.sequence,
    state,
    inUse: version.inUse,
    madeByHand: version.madeByHand,
    createdBy: metadata.annotations?.[annotations.createdBy] ?? '',
    ...(version.rejected !== undefined && { rejected: reasonIn(version.rejected) }),
  };
}

function liveLine(live: ConfigBody): Omit<VersionLine, 'sequence'> {
  const { name = '', namespace = '', uid = '', creationTimestamp = '' } = live.metadata;
  return {
    metadata: { name: unmanagedVersionName(live), namespace, uid, creationTimestamp },
    config: { kind: live.kind ?? '', name },
    object: name,
    state: 'current',
    madeByHand: false,
    createdBy: '',
  };
}

function reasonIn(annotation: string): string {
  return parseRejection(annotation)?.reason ?? annotation;
}
