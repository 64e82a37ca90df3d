import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';

/** Modifies the plain object of a builder: `deployment('web', withReplicas(2))`. */
export type Mod<T> = (object: T) => void;

export function build<T>(plain: T, mods: Mod<T>[]): T {
  for (const mod of mods) mod(plain);
  return plain;
}

export function labelled(labels: Record<string, string>): Mod<KubeObject> {
  return ({ metadata }) => {
    metadata.labels = { ...metadata.labels, ...labels };
  };
}

export function annotated(annotations: Record<string, string>): Mod<KubeObject> {
  return ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, ...annotations };
  };
}

/** Adds an owner reference. The owner must exist on the server, because the reference contains its UID. */
export function ownedBy(owner: KubeObject): Mod<KubeObject> {
  const { apiVersion, kind, metadata } = owner;
  if (
    apiVersion === undefined ||
    kind === undefined ||
    metadata.name === undefined ||
    metadata.uid === undefined
  )
    throw new TypeError(
      'the owner must be created first: an owner reference needs its apiVersion, kind, name and UID',
    );
  const reference: OwnerReference = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  return (object) => {
    object.metadata.ownerReferences = [...(object.metadata.ownerReferences ?? []), reference];
  };
}
