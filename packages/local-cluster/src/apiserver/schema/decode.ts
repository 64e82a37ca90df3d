import { isObject, setKey } from '../object.ts';
import {
  decodeBytes,
  decodeInteger,
  decodeIntOrString,
  decodeQuantity,
  decodeTime,
  mismatch,
  type Place,
} from './scalars.ts';
import type { Field, Type } from './type.ts';

/**
 * Decodes a value as Go's structs would. Unknown fields are dropped and added to `unknown`, empty fields are omitted
 * or set as Go encodes them, and defaults of the schema are set. Throws DecodeError.
 */
export function decode(value: unknown, type: Type, unknown: string[] = []): unknown {
  return decodeAs(value, type, { struct: '', path: '' }, '', unknown);
}

/** `place` is the path for messages about types, `path` the path with indexes for messages about unknown fields. */
function decodeAs(value: unknown, type: Type, place: Place, path: string, unknown: string[]): unknown {
  if (value === null || value === undefined) return zero(type);
  switch (type.is) {
    case 'string':
      if (typeof value !== 'string') throw mismatch(value, place, type.go);
      return value;
    case 'boolean':
      if (typeof value !== 'boolean') throw mismatch(value, place, type.go);
      return value;
    case 'number':
      if (typeof value !== 'number') throw mismatch(value, place, type.go);
      return value;
    case 'integer':
      return decodeInteger(value, place, type.go);
    case 'bytes':
      return decodeBytes(value, place);
    case 'int-or-string':
      return decodeIntOrString(value, place);
    case 'quantity':
      return decodeQuantity(value);
    case 'time':
      return decodeTime(value, place, 'seconds');
    case 'micro-time':
      return decodeTime(value, place, 'micros');
    case 'any':
    case 'raw':
      return value;
    case 'list':
      if (!Array.isArray(value)) throw mismatch(value, place, type.go);
      return value.map((each, index) => decodeAs(each, type.of, place, `${path}[${index}]`, unknown));
    case 'map': {
      if (!isObject(value)) throw mismatch(value, place, type.go);
      const result = {};
      // Go encodes maps in the order of their keys.
      for (const key of Object.keys(value).sort())
        setKey(result, key, decodeAs(value[key] ?? nullIn(type), type.of, place, `${path}.${key}`, unknown));
      return result;
    }
    case 'struct':
      if (!isObject(value)) throw mismatch(value, place, type.go);
      return decodeStruct(value, type, place, path, unknown);
  }
}

/** In protobuf, and so in the store, bytes in a map are never unset. */
function nullIn(type: Type & { is: 'map' }): unknown {
  return type.of.is === 'bytes' ? '' : null;
}

function decodeStruct(
  value: Record<string, unknown>,
  type: Type & { is: 'struct' },
  place: Place,
  path: string,
  unknown: string[],
): unknown {
  const result: Record<string, unknown> = {};
  const struct = type.go.slice(type.go.indexOf('.') + 1);
  for (const key of Object.keys(value)) {
    const field = type.fields.get(key);
    const fieldPath = path === '' ? key : `${path}.${key}`;
    if (field === undefined) unknown.push(fieldPath);
    else if (value[key] !== null) {
      const at = { struct, path: place.path === '' ? key : `${place.path}.${key}` };
      const decoded = decodeAs(value[key], field.type, at, fieldPath, unknown);
      if (!isEmpty(decoded, field)) result[key] = decoded;
    }
  }
  for (const [key, field] of type.fields) {
    if (result[key] !== undefined) continue;
    if (field.default !== undefined) result[key] = field.default;
    else if (field.always) result[key] = zero(field.type);
  }
  return result;
}

const scalars = new Set(['string', 'boolean', 'integer', 'number']);

/** Whether a value is omitted by Go's omitempty, or lost in protobuf, which has no empty lists and maps. */
function isEmpty(value: unknown, field: Field): boolean {
  if (value === '' || value === 0 || value === false) return !field.pointer && scalars.has(field.type.is);
  if (Array.isArray(value)) return value.length === 0;
  return field.type.is === 'map' && isObject(value) && Object.keys(value).length === 0;
}

/** The value that Go encodes for an unset field. */
function zero(type: Type): unknown {
  switch (type.is) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
    case 'int-or-string':
      return 0;
    case 'quantity':
      return '0';
    case 'struct':
      return decodeStruct({}, type, { struct: '', path: '' }, '', []);
    default:
      return null;
  }
}
