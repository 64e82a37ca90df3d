import type { ObjectMeta } from '@trimtab/kube/wire.ts';

/** Metadata as the server stores it: always present, with the fields that only the server writes. */
export interface StoredMeta extends ObjectMeta {
  deletionGracePeriodSeconds?: number;
  managedFields?: unknown[];
  selfLink?: string;
}

/** An object of any kind. Code that reads the body of a kind extends this interface. */
export interface ApiObject {
  kind: string;
  apiVersion: string;
  metadata: StoredMeta;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a key that a user chose. `__proto__` is an ordinary key here and must not set the prototype. */
export function setKey(target: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else (target as Record<string, unknown>)[key] = value;
}

/** Reads a key that a user chose; inherited properties are ignored. */
export function getKey(source: unknown, key: string): unknown {
  return isObject(source) && Object.hasOwn(source, key) ? source[key] : undefined;
}

/** Returns a deep copy. */
export function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isObject(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) setKey(copy, key, clone(value[key]));
  return copy as T;
}

/** Makes an object equal to another one. Its holders see the change. */
export function overwrite(target: object, source: object): void {
  if (target === source) return;
  for (const key of Object.keys(target)) delete (target as Record<string, unknown>)[key];
  Object.assign(target, source);
}

/** Compares two JSON values, ignoring the order of keys. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, index) => equal(each, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  );
}
