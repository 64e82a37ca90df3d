import { createHash } from 'node:crypto';
import type { ConfigBody } from '../../api/config-body.ts';

/** A value as it may be shown: text, size and hash of binary data, or masked. */
export type ShownValue = { text: string } | { bytes: number; sha256: string } | { masked: true };

export interface Entry {
  field: 'data' | 'binaryData';
  key: string;
}

export interface ConfigDiff {
  added: (Entry & { to: ShownValue })[];
  removed: (Entry & { from: ShownValue })[];
  changed: (Entry & { from: ShownValue; to: ShownValue })[];
}

/** Compares two versions of a config key by key. Values of Secrets are masked unless `showSecrets` is set. */
export function configDiff(a: ConfigBody, b: ConfigBody, showSecrets: boolean): ConfigDiff {
  const diff: ConfigDiff = { added: [], removed: [], changed: [] };
  for (const field of ['data', 'binaryData'] as const) {
    const from = new Map(Object.entries(a[field] ?? {}));
    const to = new Map(Object.entries(b[field] ?? {}));
    const show = (value: string) => shown(a.kind === 'Secret', field, value, showSecrets);
    for (const key of [...new Set([...from.keys(), ...to.keys()])].sort()) {
      const [before, after] = [from.get(key), to.get(key)];
      if (before === after) continue;
      if (before === undefined) diff.added.push({ field, key, to: show(after ?? '') });
      else if (after === undefined) diff.removed.push({ field, key, from: show(before) });
      else diff.changed.push({ field, key, from: show(before), to: show(after) });
    }
  }
  return diff;
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
