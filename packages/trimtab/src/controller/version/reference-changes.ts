import { labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { usedObjects, type Workload } from '../../core/workload/reduce-workload.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { configMetadataOf } from '../cache/lookup.ts';
import type { Unsubscribe } from '../reconciler.ts';

interface Referrer {
  namespace: string;
  references: readonly { kind: ConfigKind; name: string }[];
}

interface Watched<T> {
  subscribe(handler: (change: { before?: T; after?: T }) => void): Unsubscribe;
}

/** Calls `onVersion` when an object starts or stops to reference a version, but not for mere status changes. */
export function onReferenceChange(
  cluster: ClusterCache,
  onVersion: (version: ConfigMetadata) => void,
): Unsubscribe[] {
  return onReferrerChange(cluster, ({ namespace, references }) => {
    for (const { kind, name } of references) {
      const metadata = configMetadataOf(cluster, namespace, kind, name);
      if (metadata !== undefined && isVersion(metadata)) onVersion(metadata);
    }
  });
}

/**
 * Calls `onChange` with the state of an object before and after a change of what it references. `isThere` is true for
 * the state after the change.
 */
export function onReferrerChange(
  cluster: ClusterCache,
  onChange: (referrer: Referrer, isThere: boolean) => void,
): Unsubscribe[] {
  const follow = <T extends Referrer>(watched: Watched<T>, identity: (referrer: T) => unknown) =>
    watched.subscribe(({ before, after }) => {
      if (before && after && identity(before) === identity(after)) return;
      if (before) onChange(before, false);
      if (after) onChange(after, true);
    });
  return [
    // The references of a pod never change. The next pod of a StatefulSet has the same name, so uids are compared.
    follow(cluster.pods, ({ uid }) => uid),
    ...Object.values(cluster.revisions).map((each) =>
      follow(each, ({ uid, ownerUid, deleting, references }) =>
        JSON.stringify([uid, ownerUid, deleting, references]),
      ),
    ),
    ...Object.values(cluster.workloads).map((each) =>
      each.subscribe(({ before, after }) => {
        if (before && after && usesOf(before) === usesOf(after)) return;
        if (before) onChange({ ...before, references: usedObjects(before) }, false);
        if (after) onChange({ ...after, references: usedObjects(after) }, true);
      }),
    ),
  ];
}

function usesOf(workload: Workload): string {
  return JSON.stringify(usedObjects(workload).map(({ kind, name }) => [kind, name]));
}

export function isVersion(metadata: ConfigMetadata): boolean {
  return metadata.labels[labels.versionOf] !== undefined;
}
