import type { KubeObject, ObjectMeta } from '../wire.ts';

/** `kubectl apply` stores a copy of the whole object in this annotation. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Keeps the metadata of an object without managedFields and last-applied-configuration, which are large and unused. */
export function keepMetadata(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
  if (metadata.annotations?.[lastApplied] === undefined) return { metadata };
  const { [lastApplied]: __, ...annotations } = metadata.annotations;
  return { metadata: { ...metadata, annotations } };
}
