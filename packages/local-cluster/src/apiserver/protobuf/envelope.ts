import { isObject } from '../object.ts';
import { definitions } from '../schema/definitions.ts';
import { decodeMessage } from './decode-message.ts';
import { encodeMessage } from './encode-message.ts';
import { ProtobufProblem, wireFields } from './wire.ts';
import { bytesField } from './write-field.ts';

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** Converts a body in Kubernetes' protobuf format to JSON: an envelope that names the kind and holds the message. */
export function protobufToJson(bytes: Buffer): string {
  if (!bytes.subarray(0, magic.length).equals(magic))
    throw new ProtobufProblem(
      `provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]`,
    );
  let type = Buffer.alloc(0);
  let raw = Buffer.alloc(0);
  for (const { number, value } of wireFields(bytes.subarray(magic.length))) {
    if (typeof value === 'bigint') continue;
    if (number === 1) type = Buffer.from(value);
    else if (number === 2) raw = Buffer.from(value);
  }
  const [apiVersion, kind] = [1, 2].map((wanted) => textOf(type, wanted));
  const definition = definitionOf(apiVersion ?? '', kind ?? '');
  if (definition === undefined)
    throw new ProtobufProblem(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  const object = decodeMessage(raw, definition);
  return JSON.stringify({ kind, apiVersion, ...(isObject(object) ? object : {}) });
}

/** The reverse of `protobufToJson`. Returns undefined for a kind without a protobuf definition, such as a custom resource. */
export function objectToProtobuf(object: { apiVersion: string; kind: string }): Buffer | undefined {
  const { apiVersion, kind } = object;
  const definition = definitionOf(apiVersion, kind);
  if (definition === undefined) return undefined;
  const type = bytesField(1, bytesField(1, apiVersion), bytesField(2, kind));
  const raw = bytesField(2, encodeMessage(object, definition));
  // The fields 3 and 4, encoding and type of the content, are empty.
  return Buffer.concat([magic, type, raw, bytesField(3), bytesField(4)]);
}

function textOf(message: Buffer, wanted: number): string {
  for (const { number, value } of wireFields(message))
    if (number === wanted && typeof value !== 'bigint') return value.toString('utf8');
  return '';
}

function definitionOf(apiVersion: string, kind: string): string | undefined {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  // Every group has DeleteOptions, and all of them are the same.
  if (kind === 'DeleteOptions') return 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
  return Object.keys(definitions).find((name) =>
    definitions[name]?.['x-kubernetes-group-version-kind']?.some(
      (each) => each.group === group && each.version === version && each.kind === kind,
    ),
  );
}
