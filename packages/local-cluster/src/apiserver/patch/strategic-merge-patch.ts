import { badRequest } from '../errors/status-error.ts';
import { clone, equal, getKey, isObject, setKey } from '../object.ts';
import type { Field, Type } from '../schema/type.ts';
import { goText } from './go-text.ts';
import { PatchProblem } from './patch-problem.ts';
import { mergeObjectLists, mergeScalarLists, orderPrefix, removalPrefix } from './strategic-lists.ts';

type Fields = Record<string, unknown>;

/**
 * Kubernetes' strategic merge patch: lists with a merge key are merged by that key, and directives change how
 * (`$patch: delete`, `$retainKeys`, `$setElementOrder/containers`). Does not mutate its arguments. Throws
 * PatchProblem.
 */
export function strategicMergePatch(original: unknown, patch: unknown, type: Type): unknown {
  if (!isObject(patch)) return clone(patch);
  return mergeMaps(isObject(original) ? original : {}, patch, type, []);
}

function mergeMaps(
  original: Fields,
  patch: Fields,
  type: Type | undefined,
  strategies: readonly string[],
): Fields {
  const directive = patch['$patch'];
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge')
    throw new PatchProblem(`unknown patch type: ${String(directive)} in map: ${goText(patch)}`);
  const result = retained(original, patch, strategies);
  for (const key of Object.keys(patch)) {
    if (key === '$patch' || key === '$retainKeys') continue;
    if (key.startsWith(removalPrefix) || key.startsWith(orderPrefix)) continue;
    mergeKey(result, key, patch, fieldOf(type, key));
  }
  applyListDirectives(result, patch, type);
  return result;
}

function mergeKey(result: Fields, key: string, patch: Fields, field: Field | undefined): void {
  const change = patch[key];
  if (change === null) {
    delete result[key];
    return;
  }
  setKey(result, key, merged(getKey(result, key), change, field, patch[`${orderPrefix}${key}`]));
}

function merged(present: unknown, change: unknown, field: Field | undefined, order: unknown): unknown {
  const strategies = field?.strategies ?? [];
  if (isObject(change)) {
    const base = isObject(present) && !strategies.includes('replace') ? present : {};
    return mergeMaps(base, change, field?.type, strategies);
  }
  if (Array.isArray(change) && field !== undefined && strategies.includes('merge'))
    return mergeLists(Array.isArray(present) ? present : undefined, change, field, order);
  return clone(change);
}

function mergeLists(
  present: unknown[] | undefined,
  change: unknown[],
  field: Field,
  order: unknown,
): unknown[] {
  const { mergeKey: by, type } = field;
  const of = type.is === 'list' ? type.of : undefined;
  if (by === undefined) return mergeScalarLists(present ?? [], change, order);
  return mergeObjectLists(present, change, by, order, (base, patch) => mergeMaps(base, patch, of, []));
}

/** Applies directives to lists of which the patch gives only the removals or the order. */
function applyListDirectives(result: Fields, patch: Fields, type: Type | undefined): void {
  for (const key of Object.keys(patch)) {
    if (key.startsWith(removalPrefix)) {
      const name = key.slice(removalPrefix.length);
      const gone = patch[key];
      const list = getKey(result, name);
      if (!Array.isArray(gone)) throw new PatchProblem(`invalid type for ${key}`);
      if (Array.isArray(list))
        setKey(
          result,
          name,
          list.filter((each) => !gone.some((other) => equal(each, other))),
        );
    } else if (key.startsWith(orderPrefix)) {
      const name = key.slice(orderPrefix.length);
      const list = getKey(result, name);
      const field = fieldOf(type, name);
      if (Object.hasOwn(patch, name) || field === undefined || !Array.isArray(list)) continue;
      setKey(result, name, mergeLists(list, [], field, patch[key]));
    }
  }
}

/** `$retainKeys` lists the only keys that are kept, for structs in which only one member can be set. */
function retained(original: Fields, patch: Fields, strategies: readonly string[]): Fields {
  const keep = patch['$retainKeys'];
  const result = {};
  if (keep !== undefined && !isRetaining(keep, patch)) throw badRequest('invalid patch format of retainKeys');
  if (Array.isArray(keep) && !strategies.includes('retainKeys') && strategies.length > 0)
    throw new PatchProblem('retainKeys directive is not allowed here');
  for (const key of Object.keys(original))
    if (!Array.isArray(keep) || keep.includes(key)) setKey(result, key, clone(original[key]));
  return result;
}

/** All keys that the patch sets must be in `$retainKeys`. */
function isRetaining(keep: unknown, patch: Fields): boolean {
  const set = Object.keys(patch).filter((key) => !key.startsWith('$') && patch[key] !== null);
  return Array.isArray(keep) && set.every((key) => keep.includes(key));
}

function withoutDirectives(patch: Fields): Fields {
  const result = {};
  for (const key of Object.keys(patch)) if (key !== '$patch') setKey(result, key, clone(patch[key]));
  return result;
}

function fieldOf(type: Type | undefined, key: string): Field | undefined {
  if (type?.is === 'struct') return type.fields.get(key);
  return undefined;
}
