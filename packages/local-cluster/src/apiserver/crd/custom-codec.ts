import { badRequest } from '../errors/status-error.ts';
import { apiVersionOf, type Codec } from '../kinds/kind.ts';
import { keepReset } from '../managed-fields/keep-reset.ts';
import { type ApiObject, clone, isObject, type StoredMeta } from '../object.ts';
import { decode } from '../schema/decode.ts';
import { DecodeError } from '../schema/scalars.ts';
import { typeNamed } from '../schema/type.ts';
import { parseObject, textOf } from '../storage/object-text.ts';
import { applyDefaults } from './defaults.ts';
import { prune } from './prune.ts';
import type { StructuralSchema } from './structural-schema.ts';

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

interface CustomCodec extends Codec {
  shown(text: string): string;
}

/** Decodes bodies of a custom resource: metadata as for all kinds, other fields by the schema. */
export function customCodec(
  type: { group: string; version: string; kind: string },
  schema: StructuralSchema,
): CustomCodec {
  const apiVersion = apiVersionOf(type);
  return {
    definition: [...type.group.split('.').reverse(), type.version, type.kind].join('.'),
    type: undefined,
    sortsUnknown: true,
    checkType(_kind, given) {
      if (given !== apiVersion)
        throw badRequest(
          `the API version in the data (${given}) does not match the expected API version (${apiVersion})`,
        );
    },
    decode(body, unknown) {
      if (!isObject(body))
        throw new DecodeError('json: cannot unmarshal into Go value of type map[string]interface {}');
      const { kind: given, apiVersion: _version, metadata: meta, ...rest } = body;
      const found: string[] = [];
      const kind = typeof given === 'string' && given !== '' ? given : type.kind;
      const metadata = metadataOf(meta, found);
      const object: ApiObject = { kind, apiVersion, metadata, ...clone(rest) };
      // An object of another kind is refused later and gets no defaults.
      if (kind === type.kind) shape(object, schema, found);
      unknown.push(...found.sort());
      return object;
    },
    shown(text) {
      const object = parseObject(text);
      object.apiVersion = apiVersion;
      shape(object, schema, []);
      return textOf(object);
    },
  };
}

function shape(object: ApiObject, schema: StructuralSchema, unknown: string[]): void {
  const fields = object as unknown as Record<string, unknown>;
  unknown.push(...prune(schema, fields));
  applyDefaults(schema, fields);
}

function metadataOf(value: unknown, unknown: string[]): StoredMeta {
  const found: string[] = [];
  const decoded = decode(value ?? {}, typeNamed(objectMeta), found) as StoredMeta;
  const { selfLink: _link, ...metadata } = decoded;
  keepReset({ metadata: value }, metadata);
  unknown.push(...found.map((path) => `metadata.${path}`));
  return metadata;
}
