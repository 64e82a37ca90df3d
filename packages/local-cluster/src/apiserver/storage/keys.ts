import type { Kind } from '../kinds/kind.ts';

/** Returns the storage key of an object, the same as in Kubernetes' etcd. */
export function keyOf(kind: Kind, namespace: string | undefined, name: string): string {
  return `${prefixOf(kind, namespace)}${name}`;
}

/** Returns the key prefix of all objects of a kind, or of those in one namespace. */
export function prefixOf(kind: Kind, namespace: string | undefined): string {
  return kind.namespaced && namespace !== undefined
    ? `${kind.storagePrefix}${namespace}/`
    : kind.storagePrefix;
}
