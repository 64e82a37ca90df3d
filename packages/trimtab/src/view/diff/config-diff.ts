import { createHash } from 'node:crypto';
import type { ConfigBody } from '../../api/config-body.ts';

/** A value as it may be shown: text, size and hash of binary data, masked, or omitted beyond the limit of a diff. */
export type ShownValue =
  | { text: string }
  | { bytes: number; sha256: string }
  | { masked: true }
  | { omitted: true };

/**
 * A config may have 80,000 keys. Each key costs time to compare and space in the answer, so a diff shows the values of
 * the first keys that differ, lists some more by their names, and counts the rest.
 */
export const diffLimits = { values: 1_000, keys: 5_000 };

export interface Entry {
  field: 'data' | 'binaryData';
  key: string;
}

export interface ConfigDiff {
  added: (Entry & { to: ShownValue })[];
  removed: (Entry & { from: ShownValue })[];
  changed: (Entry & { from: ShownValue; to: ShownValue })[];
  /** How many keys differ, listed or not. */
  differing: number;
}

/** Compares two versions of a config key by key. Values of Secrets are masked unless `showSecrets` is set. */
export function configDiff(a: ConfigBody, b: ConfigBody, showSecrets: boolean): ConfigDiff {
  const diff: ConfigDiff = { added: [], removed: [], changed: [], differing: 0 };
  for (const field of ['data', 'binaryData'] as const) {
    const [from, to] = [a[field] ?? {}, b[field] ?? {}];
    for (const key of keysOf(from, to)) {
      const [before, after] = [ownValue(from, key), ownValue(to, key)];
      if (before === after) continue;
      diff.differing += 1;
      if (diff.differing > diffLimits.keys) continue;
      const isOmitted = diff.differing > diffLimits.values;
      const show = (value: string): ShownValue =>
        isOmitted ? { omitted: true } : shown(a.kind === 'Secret', field, value, showSecrets);
      if (before === undefined) diff.added.push({ field, key, to: show(after ?? '') });
      else if (after === undefined) diff.removed.push({ field, key, from: show(before) });
      else diff.changed.push({ field, key, from: show(before), to: show(after) });
    }
  }
  return diff;
}

type Values = Readonly<Record<string, string>>;

/** Each key once, in order. Keys of API servers are in order already, so sorting takes little time. */
export function keysOf(...all: Values[]): string[] {
  return all
    .flatMap((values, index) => {
      const before = all.slice(0, index);
      return Object.keys(values).filter((key) => !before.some((each) => Object.hasOwn(each, key)));
    })
    .sort();
}

/** A key may be called `constructor`. */
export function ownValue(values: Values, key: string): string | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

function shown(isSecret: boolean, field: Entry['field'], value: string, showSecrets: boolean): ShownValue {
  if (!isSecret && field === 'data') return { text: value };
  // Size and hash are masked as well: a short secret can be guessed from either.
  if (isSecret && !showSecrets) return { masked: true };
  const bytes = Buffer.from(value, 'base64');
  const text = isSecret ? textOf(bytes) : undefined;
  if (text !== undefined) return { text };
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
