import { createHash } from 'node:crypto';
import type { ConfigBody } from '../../api/config-body.ts';

/** A value as it may be shown: text, what is known of bytes, or nothing at all. */
export type Shown = { text: string } | { bytes: number; sha256: string } | { masked: true };

export interface Entry {
  field: 'data' | 'binaryData';
  key: string;
}

export interface ConfigDiff {
  added: (Entry & { to: Shown })[];
  removed: (Entry & { from: Shown })[];
  changed: (Entry & { from: Shown; to: Shown })[];
}

/** What differs between two versions of a config, key by key. Secrets are shown only to who asks for it. */
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

function shown(isSecret: boolean, field: Entry['field'], value: string, showSecrets: boolean): Shown {
  if (!isSecret && field === 'data') return { text: value };
  // Not even its size or hash: a short secret can be guessed from either.
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
