import { namesOf } from '@trimtab/kube/json/json-pointer.ts';
import { clone, equal, getKey, isObject, setKey } from '../object.ts';
import { PatchProblem } from './patch-problem.ts';

export interface Operation {
  op: string;
  path: string;
  from?: string;
  value?: unknown;
}

/** RFC 6902, as lenient as the library that Kubernetes uses. Does not mutate its arguments; throws PatchProblem. */
export function jsonPatch(document: unknown, operations: readonly Operation[]): unknown {
  const root = { document: clone(document) };
  for (const operation of operations) apply(root, operation);
  return root.document;
}

interface Root {
  document: unknown;
}

function apply(root: Root, { op, path, from = '', value = null }: Operation): void {
  switch (op) {
    case 'add':
      insert(root, path, clone(value));
      return;
    case 'remove':
      remove(root, path);
      return;
    case 'replace': {
      const { parent, key } = resolve(root, path);
      if (Array.isArray(parent)) parent[indexIn(parent, key, 0)] = clone(value);
      else setKey(parent, key, clone(value));
      return;
    }
    case 'move':
      insert(root, path, remove(root, from));
      return;
    case 'copy':
      insert(root, path, clone(read(root, from) ?? null));
      return;
    case 'test':
      if (!equal(read(root, path) ?? null, value)) throw new PatchProblem(`testing path ${path} failed`);
      return;
    default:
      throw new PatchProblem(`Unexpected kind: ${op}`);
  }
}

function read(root: Root, path: string): unknown {
  if (path === '') return root.document;
  const { parent, key } = resolve(root, path);
  return Array.isArray(parent) ? parent[indexIn(parent, key, 0)] : getKey(parent, key);
}

function insert(root: Root, path: string, value: unknown): void {
  const { parent, key } = resolve(root, path);
  if (!Array.isArray(parent)) setKey(parent, key, value);
  else parent.splice(key === '-' ? parent.length : indexIn(parent, key, 1), 0, value);
}

function remove(root: Root, path: string): unknown {
  const { parent, key } = resolve(root, path);
  if (Array.isArray(parent)) return parent.splice(indexIn(parent, key, 0), 1)[0];
  if (!Object.hasOwn(parent, key)) throw new PatchProblem(`unable to remove nonexistent key: ${key}`);
  const value = parent[key];
  delete parent[key];
  return value;
}

/** Resolves a path. The root is refused, as replacing it would not leave an object of the kind. */
function resolve(root: Root, path: string): { parent: unknown[] | Record<string, unknown>; key: string } {
  const parts = namesOf(path);
  const key = parts.pop();
  if (key === undefined) throw new PatchProblem(`invalid path ${JSON.stringify(path)}`);
  let parent = root.document;
  for (const part of parts)
    parent = Array.isArray(parent) ? parent[indexIn(parent, part, 0)] : getKey(parent, part);
  if (!Array.isArray(parent) && !isObject(parent)) throw new PatchProblem(`doc is missing path: ${path}`);
  return { parent, key };
}

/** `beyond` is 1 when the index may be the end of the list. */
function indexIn(list: readonly unknown[], key: string, beyond: 0 | 1): number {
  const index = /^-?\d+$/.test(key) ? Number(key) : Number.NaN;
  const place = index < 0 ? index + list.length + beyond : index;
  if (!(place >= 0 && place < list.length + beyond))
    throw new PatchProblem(`unable to access invalid index: ${key}`);
  return place;
}
