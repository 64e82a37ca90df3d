import type { OwnerReference } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels, versionSecretType } from '../../api/names.ts';
import { configLabelValue, versionLabelValue, versionObjectName } from './object-names.ts';

export interface NewVersion {
  name: string;
  sequence: number;
  contentHash: string;
  createdBy: string;
  /** The first version of a config is current from its creation. */
  state: 'current' | 'not-current';
  /** A user created it through the API, so retention never deletes it. */
  madeByHand?: boolean;
  /**
   * The workloads that the version is about to be assigned to. They own it until their ReplicaSets or
   * ControllerRevisions do: with the rollout as its only owner, it would be deleted with the rollout under their pods.
   */
  assignedTo?: readonly OwnerReference[];
}

/**
 * Returns the immutable copy of a config. The user's labels and annotations are not copied: a tracking label would
 * make a GitOps tool prune the copy.
 */
export function versionObject(rollout: ConfigRollout, body: ConfigBody, version: NewVersion): ConfigBody {
  const { kind, name } = rollout.spec.config;
  const { uid = '', namespace = '' } = rollout.metadata;
  const label = versionLabelValue(version.name);
  const { assignedTo = [] } = version;
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name: versionObjectName(name, uid, version.name),
      namespace,
      labels: {
        [labels.config]: configLabelValue(name),
        [labels.versionOf]: uid,
        ...(label !== undefined && { [labels.version]: label }),
        [labels.state]: version.state,
        ...(assignedTo.length > 0 && { [labels.inUse]: 'true' }),
      },
      annotations: {
        [annotations.config]: name,
        [annotations.version]: version.name,
        [annotations.sequence]: String(version.sequence),
        [annotations.contentHash]: version.contentHash,
        [annotations.createdBy]: version.createdBy,
        ...(version.madeByHand && { [annotations.madeByHand]: 'true' }),
        ...(kind === 'Secret' && { [annotations.originalType]: body.type ?? 'Opaque' }),
      },
      ownerReferences: [rolloutOwner(rollout), ...assignedTo],
    },
    immutable: true,
    ...(kind === 'Secret' && { type: versionSecretType }),
    ...(body.data !== undefined && { data: body.data }),
    ...(body.binaryData !== undefined && { binaryData: body.binaryData }),
  };
}

/** `controller` and `blockOwnerDeletion` are not set: a version must never block the deletion of another object. */
export function rolloutOwner({ metadata }: ConfigRollout): OwnerReference {
  const { name = '', uid = '' } = metadata;
  const { group, version, kind } = configRollouts;
  return { apiVersion: `${group}/${version}`, kind, name, uid };
}
