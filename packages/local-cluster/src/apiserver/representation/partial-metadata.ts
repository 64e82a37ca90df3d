import type { ApiObject } from '../object.ts';

/** An object without its body. */
export function partialMetadata(
  { metadata }: ApiObject,
  { metaVersion }: { metaVersion: string },
): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
}
