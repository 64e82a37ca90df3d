import { ObjectValue } from './messages.ts';

/**
 * Converts a JSON value for CEL. Integers become ints, as in Kubernetes, and undefined fields are omitted. Objects are
 * copied without a prototype, as a key may be named `constructor`.
 */
export function celValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, each] of Object.entries(value)) if (each !== undefined) copy[key] = celValue(each);
  return copy;
}

/** Converts the result of an expression to JSON. Throws for values that JSON does not have, such as functions. */
export function jsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(jsonValue);
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value !== 'object' || value === null) return value;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || prototype === Object.prototype;
  // An unsigned integer of the CEL library.
  if (!isPlain && typeof value.valueOf() === 'bigint') return Number(value.valueOf());
  if (!isPlain && !(value instanceof Map || value instanceof ObjectValue))
    throw new Error(`no JSON for a value of type ${value.constructor.name}`);
  const copy: Record<string, unknown> = {};
  for (const [key, each] of entries)
    Object.defineProperty(copy, String(key), {
      value: jsonValue(each),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return copy;
}
