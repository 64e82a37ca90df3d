import { apiVersion, type Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';

/** The metadata of an object that the collector keeps. */
export interface Node {
  uid: string;
  resource: Resource;
  /** Undefined for cluster-scoped objects. */
  namespace: string | undefined;
  name: string;
  owners: readonly OwnerReference[];
  isGoing: boolean;
  /** What a terminating object waits for: the deletion of its dependents (foreground), or their orphaning. */
  waitsFor: 'dependents' | 'orphans' | undefined;
}

export const foreground = 'foregroundDeletion';
export const orphan = 'orphan';

export function nodeOf(resource: Resource, { metadata }: KubeObject): Node {
  const { uid = '', namespace, name = '', ownerReferences = [], finalizers = [] } = metadata;
  const isGoing = metadata.deletionTimestamp !== undefined;
  const waits = finalizers.includes(foreground)
    ? 'dependents'
    : finalizers.includes(orphan)
      ? 'orphans'
      : undefined;
  return {
    uid,
    resource,
    namespace: resource.namespaced ? namespace : undefined,
    name,
    owners: ownerReferences,
    isGoing,
    waitsFor: isGoing ? waits : undefined,
  };
}

/** Owner relations by UID, across all kinds. Also holds dependents of owners that have not been observed. */
export class OwnerGraph {
  readonly #nodes = new Map<string, Node>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): Node[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((each) => this.#nodes.get(each) ?? []);
  }

  /** The dependents that block a foreground deletion of their owner. */
  blockingDependentsOf(uid: string): Node[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }

  put(node: Node): void {
    this.remove(node.uid);
    this.#nodes.set(node.uid, node);
    for (const { uid } of node.owners) {
      const dependents = this.#dependents.get(uid) ?? new Set();
      this.#dependents.set(uid, dependents.add(node.uid));
    }
  }

  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    for (const owner of node.owners) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}

/** Whether an owner reference of `dependent` matches the kind, name, group and namespace of `owner`. */
export function refersTo(dependent: Node, reference: OwnerReference, owner: Node): boolean {
  const { resource, name } = owner;
  const [group] = reference.apiVersion.includes('/') ? reference.apiVersion.split('/') : [''];
  const isThere = reference.kind === resource.kind && reference.name === name && group === resource.group;
  return isThere && isInReach(dependent, owner);
}

/** An owner is in the namespace of its dependent, or is cluster-scoped. */
export function isInReach(dependent: Node, owner: Node): boolean {
  return owner.namespace === undefined || owner.namespace === dependent.namespace;
}

/** The format of Kubernetes' garbage collector: `[v1/ConfigMap, namespace: a, name: b, uid: c]`. */
export function referenceText(
  { apiVersion: version, kind, name, uid }: OwnerReference,
  namespace = '',
): string {
  return `[${version}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

export function aboutNode({ resource, namespace, name, uid }: Node) {
  return {
    apiVersion: apiVersion(resource),
    kind: resource.kind,
    ...(namespace !== undefined && { namespace }),
    name,
    uid,
  };
}
