import type { ApiObject } from '../object.ts';

/** An object without its body. */
export function partialMetadata({ metadata }: ApiObject): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
