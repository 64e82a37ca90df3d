import type { ConfigKey } from '../references/config-key.ts';

/** A set of contents that failed together: config → content hash. Kept on each version of the set. */
export type RejectedSet = ReadonlyMap<ConfigKey, string>;

/**
 * Whether a version may not be tried again: some set that it failed with is wanted just as it was. As soon as
 * one config of the set wants other content, the rest deserves another try.
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

/** Undefined for what is not ours: a rejection that nobody can read rejects nothing. */
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
