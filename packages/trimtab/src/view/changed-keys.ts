import type { ConfigBody } from '../api/config-body.ts';
import { keysOf, ownValue } from './diff/config-diff.ts';

/** The keys that differ between two versions. Values are never included: the caller requested a plan, not content. */
export interface ChangedKeys {
  added: string[];
  removed: string[];
  changed: string[];
}

/**
 * A key that moves between `data` and `binaryData` counts as changed even if its bytes are equal: containers see no
 * difference, but API clients do.
 */
export function changedKeys(before: ConfigBody | undefined, after: ConfigBody | undefined): ChangedKeys {
  const [old, fresh] = [valuesOf(before), valuesOf(after)];
  const changes: ChangedKeys = { added: [], removed: [], changed: [] };
  for (const key of keysOf(old.data, old.binaryData, fresh.data, fresh.binaryData)) {
    const was = [ownValue(old.data, key), ownValue(old.binaryData, key)];
    const is = [ownValue(fresh.data, key), ownValue(fresh.binaryData, key)];
    if (was.every((value) => value === undefined)) changes.added.push(key);
    else if (is.every((value) => value === undefined)) changes.removed.push(key);
    else if (was.some((value, index) => value !== is[index])) changes.changed.push(key);
  }
  return changes;
}

function valuesOf({ data = {}, binaryData = {} }: Pick<ConfigBody, 'data' | 'binaryData'> = {}) {
  return { data, binaryData };
}
