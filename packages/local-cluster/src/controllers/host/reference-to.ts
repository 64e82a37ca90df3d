import type { ObjectReference } from '@trimtab/kube/events/event-object.ts';
import { apiVersion, type Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

/** The involvedObject reference of an Event, with the fields that client-go sets. */
export function referenceTo(resource: Resource, { metadata }: KubeObject): ObjectReference {
  const { namespace, name = '', uid, resourceVersion } = metadata;
  return {
    apiVersion: apiVersion(resource),
    kind: resource.kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
