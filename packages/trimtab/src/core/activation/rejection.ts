import type { ConfigKey } from '../references/config-key.ts';

/** Contents that failed together: config → content hash. Recorded on each version of the set. */
export type RejectedSet = ReadonlyMap<ConfigKey, string>;

/**
 * Whether a version must not be tried again: all contents of a set that it failed with are wanted unchanged. As soon
 * as one config of the set wants other content, the version may be tried again.
 */
export function isBlocked(
  rejections: readonly RejectedSet[],
  wantedHash: (config: ConfigKey) => string | undefined,
): boolean {
  return rejections.some((set) => [...set].every(([config, hash]) => wantedHash(config) === hash));
}

export function formatRejections(sets: readonly RejectedSet[], reason: string): string {
  return JSON.stringify({
    reason,
    sets: sets.map((set) => Object.fromEntries([...set].sort(([a], [b]) => (a < b ? -1 : 1)))),
  });
}

/** Returns undefined for text that is not a valid rejection; such an annotation rejects nothing. */
export function parseRejections(
  text: string | undefined,
): { reason: string; sets: RejectedSet[] } | undefined {
  if (text === undefined) return undefined;
  try {
    const { reason, sets } = JSON.parse(text);
    if (typeof reason !== 'string' || !Array.isArray(sets)) return undefined;
    return { reason, sets: sets.map((set) => new Map(Object.entries(set)) as RejectedSet) };
  } catch {
    return undefined;
  }
}
