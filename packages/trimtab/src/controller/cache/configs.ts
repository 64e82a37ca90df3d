import type { KubeObject, ObjectMeta, OwnerReference } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { LabelSelector } from '../../core/from-reloader/label-selector.ts';
import { lastManagerOf } from '../../core/managed-fields/last-manager.ts';
import type { ManagedFields } from '../../core/managed-fields/managed-fields.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';

/**
 * Metadata that is cached for every ConfigMap and Secret of the cluster. A cluster has thousands of them and few are
 * managed, so this watch requests metadata only and never receives content.
 */
export interface ConfigMetadata {
  kind: ConfigKind;
  namespace: string;
  name: string;
  uid: string;
  deleting: boolean;
  /** Labels and annotations of Trimtab and Reloader only. */
  labels: Record<string, string>;
  annotations: Record<string, string>;
  ownerReferences: OwnerReference[];
  /** Whether annotations of Reloader opt in for this config. */
  isForReloader: boolean;
}

/** A managed original: the content hash and the keys, without values. */
export interface Original {
  kind: ConfigKind;
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
  hash: string;
  keys: ReadonlySet<string>;
  type: string | undefined;
  annotations: Record<string, string>;
  /** Field manager that wrote the content last; undefined when `managedFields` do not tell. */
  editor: string | undefined;
  /** The user has set `immutable: true`: the config can be deleted but not edited. */
  immutable: boolean;
}

const none: Record<string, string> = Object.freeze({});
const noOwners: OwnerReference[] = [];

/** `forReloader` selects the configs for which annotations of Reloader opt in; optional, defaults to all. */
export function configMetadata(
  kind: ConfigKind,
  forReloader: LabelSelector = () => true,
): (object: KubeObject) => ConfigMetadata {
  return ({ metadata }) => ({
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    deleting: metadata.deletionTimestamp !== undefined,
    labels: ours(metadata.labels),
    annotations: ours(metadata.annotations),
    ownerReferences: metadata.ownerReferences ?? noOwners,
    isForReloader: forReloader(metadata.labels ?? none),
  });
}

export function original(kind: ConfigKind): (object: KubeObject) => Original {
  return (object) => {
    const { metadata, data, binaryData, type, immutable } = object as ConfigBody;
    const { managedFields } = metadata as ObjectMeta & { managedFields?: ManagedFields[] };
    return {
      kind,
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      hash: contentHash({ type, data, binaryData }),
      keys: new Set([...Object.keys(data ?? {}), ...Object.keys(binaryData ?? {})]),
      type,
      annotations: ours(metadata.annotations),
      editor: lastManagerOf(managedFields, ['data', '*'], ['binaryData', '*']),
      immutable: immutable === true,
    };
  };
}

/** Whether two states of a version differ only in the fields `aside`. Returns false when `after` is not a version. */
export function isSameVersion(
  before: ConfigMetadata,
  after: ConfigMetadata,
  aside: readonly (keyof VersionMetadata)[],
): boolean {
  const facts = (metadata: ConfigMetadata) => {
    const version = Object.entries(versionMetadata(metadata) ?? {});
    return JSON.stringify([
      metadata.deleting,
      version.filter(([key]) => !aside.includes(key as keyof VersionMetadata)),
    ]);
  };
  return versionMetadata(after) !== undefined && facts(before) === facts(after);
}

const meaningful = /^(trimtab\.dev|([a-z]+\.)?reloader\.stakater\.com)\//;

function ours(map: ObjectMeta['labels']): Record<string, string> {
  const entries = Object.entries(map ?? none).filter(([key]) => meaningful.test(key));
  return entries.length === 0 ? none : Object.fromEntries(entries);
}
