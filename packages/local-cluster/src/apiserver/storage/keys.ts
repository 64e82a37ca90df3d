import type { Kind } from '../kinds/kind.ts';

/** Where objects are kept: the same keys as in Kubernetes' etcd. */
export function keyOf(kind: Kind, namespace: string | undefined, name: string): string {
  return `${prefixOf(kind, namespace)}${name}`;
}

/** Of all objects of a kind, or of those in one namespace. */
export function prefixOf(kind: Kind, namespace: string | undefined): string {
  return kind.namespaced && namespace !== undefined
    ? `${kind.storagePrefix}${namespace}/`
    : kind.storagePrefix;
}
