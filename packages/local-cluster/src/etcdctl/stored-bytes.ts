import type { ApiObject } from '../apiserver/object.ts';
import { objectToProtobuf } from '../apiserver/protobuf/envelope.ts';

/**
 * The bytes that the etcd of Kubernetes has for an object: protobuf, or JSON for CustomResourceDefinitions and custom
 * resources. The resourceVersion is not stored, because it is the revision of the key.
 */
export function storedBytes(json: string): Buffer {
  const { metadata, ...rest } = JSON.parse(json) as ApiObject;
  const { resourceVersion: _, ...stored } = metadata;
  const object = { ...rest, metadata: stored };
  const protobuf = rest.kind === 'CustomResourceDefinition' ? undefined : objectToProtobuf(object);
  return protobuf ?? Buffer.from(`${JSON.stringify(object)}\n`);
}
