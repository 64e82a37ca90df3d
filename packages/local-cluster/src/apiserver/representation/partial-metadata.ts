import type { ApiObject } from '../object.ts';

/** Returns only the metadata of an object. */
export function partialMetadata(
  { metadata }: ApiObject,
  { metaVersion }: { metaVersion: string },
): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
}
