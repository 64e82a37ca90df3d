import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import type { PatchOperation } from './admission-review.ts';

/**
 * Returns operations that set entries of a map of labels or annotations in an admitted object, and remove those whose
 * value is undefined. `before` is the map in the object.
 */
export function setEntries(
  path: readonly string[],
  before: Readonly<Record<string, string>> | undefined,
  entries: Iterable<readonly [string, string | undefined]>,
): PatchOperation[] {
  const changed = [...entries].filter(([key, value]) => before?.[key] !== value);
  if (before === undefined) {
    const added = changed.filter(([, value]) => value !== undefined);
    return added.length === 0
      ? []
      : [{ op: 'add', path: jsonPointer(...path), value: Object.fromEntries(added) }];
  }
  return changed.map(([key, value]): PatchOperation => {
    const at = jsonPointer(...path, key);
    return value === undefined ? { op: 'remove', path: at } : { op: 'add', path: at, value };
  });
}
