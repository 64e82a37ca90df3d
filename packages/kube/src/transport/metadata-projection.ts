import type { KubeList, KubeObject } from '../wire.ts';

/** Removes the body of an object when the server has ignored the requested projection. */
export function onlyMetadata<T extends KubeObject>(object: T): T {
  if (object.kind === 'PartialObjectMetadata' || object.metadata === undefined) return object;
  const reduced: KubeObject = {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata: object.metadata,
  };
  return reduced as T;
}

export function onlyMetadataOfItems<T extends KubeObject>(list: KubeList<T>): KubeList<T> {
  return list.kind === 'PartialObjectMetadataList' ? list : { ...list, items: list.items.map(onlyMetadata) };
}

/** Applies `onlyMetadata` to the object of a watch event. */
export function onlyMetadataOfEvent(event: unknown): unknown {
  if (typeof event !== 'object' || event === null || !('type' in event) || !('object' in event)) return event;
  if (event.type === 'ERROR') return event;
  return { ...event, object: onlyMetadata(event.object as KubeObject) };
}
