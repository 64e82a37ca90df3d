import type { KubeObject, ObjectMeta } from '../wire.ts';

/** Holds a whole copy of the body of everything that `kubectl apply` made. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Keeps an object's metadata without the two parts of it that are as large as a body and that nobody reads. */
export function keepMetadata(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
  if (metadata.annotations?.[lastApplied] === undefined) return { metadata };
  const { [lastApplied]: __, ...annotations } = metadata.annotations;
  return { metadata: { ...metadata, annotations } };
}
