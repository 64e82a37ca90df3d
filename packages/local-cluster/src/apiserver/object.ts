import type { ObjectMeta } from '@trimtab/kube/wire.ts';

/** Metadata as the server keeps it: always there, with what only servers write. */
export interface StoredMeta extends ObjectMeta {
  deletionGracePeriodSeconds?: number;
  managedFields?: unknown[];
  selfLink?: string;
}

/** Any object of any kind. Kinds that look into their bodies narrow it with an interface of their own. */
export interface ApiObject {
  kind: string;
  apiVersion: string;
  metadata: StoredMeta;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a key that a user chose: `__proto__` is one like any other, and must not become the prototype. */
export function setKey(target: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else (target as Record<string, unknown>)[key] = value;
}

/** Reads a key that a user chose, and nothing that objects inherit. */
export function getKey(source: unknown, key: string): unknown {
  return isObject(source) && Object.hasOwn(source, key) ? source[key] : undefined;
}

/** A copy that shares nothing. */
export function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isObject(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) setKey(copy, key, clone(value[key]));
  return copy as T;
}

/** The same JSON, whatever the order of keys. */
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
