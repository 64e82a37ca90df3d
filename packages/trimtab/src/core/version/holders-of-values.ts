import type { ConfigBody } from '../../api/config-body.ts';
import { valuesOf } from './config-values.ts';
import type { VersionMetadata } from './version-metadata.ts';

interface VersionContent {
  version: Pick<VersionMetadata, 'name' | 'object'>;
  body: ConfigBody;
}

/** A version that holds a value of another one, and under which keys. */
export interface ValueHolder {
  version: string;
  keys: string[];
}

/**
 * Returns which of `others` hold values of each of `versions`, by the object of the version. Empty values do not count.
 * The generator yields after each version, because one may have a megabyte.
 */
export function* holdersOfValues(
  versions: readonly VersionContent[],
  others: readonly VersionContent[],
): Generator<undefined, Map<string, ValueHolder[]>> {
  const objectsByValue = new Map<string, string[]>();
  if (others.length > 0)
    for (const { version, body } of versions) {
      for (const value of new Set(valuesOf(body).values()))
        if (value !== '') listAt(objectsByValue, value).push(version.object);
      yield;
    }
  const found = new Map<string, ValueHolder[]>();
  for (const { version, body } of others) {
    const keysByObject = new Map<string, string[]>();
    for (const [key, value] of valuesOf(body))
      for (const object of objectsByValue.get(value) ?? []) listAt(keysByObject, object).push(key);
    for (const [object, keys] of keysByObject) listAt(found, object).push({ version: version.name, keys });
    yield;
  }
  return found;
}

function listAt<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
