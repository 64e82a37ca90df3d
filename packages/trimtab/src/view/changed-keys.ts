import type { ConfigBody } from '../api/config-body.ts';

/** The keys that differ between two versions. Values are never included: the caller requested a plan, not content. */
export interface ChangedKeys {
  added: string[];
  removed: string[];
  changed: string[];
}

export function changedKeys(before: ConfigBody | undefined, after: ConfigBody | undefined): ChangedKeys {
  const [old, fresh] = [valuesOf(before), valuesOf(after)];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return {
    added: keys.filter((key) => !old.has(key)),
    removed: keys.filter((key) => !fresh.has(key)),
    changed: keys.filter((key) => old.has(key) && fresh.has(key) && old.get(key) !== fresh.get(key)),
  };
}

/**
 * A key that moves between `data` and `binaryData` counts as changed even if its bytes are equal: containers see no
 * difference, but API clients do.
 */
function valuesOf({
  data = {},
  binaryData = {},
}: Pick<ConfigBody, 'data' | 'binaryData'> = {}): Map<string, string> {
  return new Map([
    ...Object.entries(data).map(([key, value]) => [key, `text ${value}`] as const),
    ...Object.entries(binaryData).map(([key, value]) => [key, `binary ${value}`] as const),
  ]);
}
