import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { CommandFailure } from '../failure.ts';
import { keyProblems } from './key-names.ts';

/** The largest content of a ConfigMap or Secret that the API server accepts: the sum of all values. */
export const maxContentBytes = 1024 * 1024;

/**
 * Collects the keys of a config as kubectl does: UTF-8 goes to `data` and all other bytes to `binaryData` of a ConfigMap;
 * a Secret has `data` in base64 only. Throws kubectl's error for an invalid or repeated key.
 */
export class ConfigData {
  readonly #kind: ConfigKind;
  readonly #name: string;
  readonly #values = new Map<string, Buffer>();

  constructor(kind: ConfigKind, name: string) {
    this.#kind = kind;
    this.#name = name;
  }

  add(key: string, bytes: Buffer): void {
    const problems = keyProblems(key);
    const isSecret = this.#kind === 'Secret';
    if (problems.length > 0)
      throw new CommandFailure(
        isSecret
          ? `${JSON.stringify(key)} is not valid key name for a Secret ${problems.join(';')}`
          : `${JSON.stringify(key)} is not a valid key name for a ConfigMap: ${problems.join(',')}`,
      );
    const before = this.#values.get(key);
    if (before !== undefined)
      throw new CommandFailure(
        isSecret
          ? `cannot add key ${key}, another key by that name already exists`
          : `cannot add key ${JSON.stringify(key)}, another key by that name already exists in ${textOf(before) === undefined ? 'BinaryData' : 'Data'} for ConfigMap ${JSON.stringify(this.#name)}`,
      );
    this.#values.set(key, bytes);
  }

  /** Throws when the API server would refuse the content because of its size. */
  content(): Pick<ConfigBody, 'data' | 'binaryData'> {
    const entries = [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1));
    const sizes = entries.map(([key, { length }]) => ({ key, bytes: length }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total > maxContentBytes)
      throw tooLarge(
        this.#kind,
        this.#name,
        total,
        sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a)),
      );
    const encoded = entries.map(([key, bytes]) => {
      const text = this.#kind === 'Secret' ? undefined : textOf(bytes);
      return { key, text, base64: text === undefined ? bytes.toString('base64') : '' };
    });
    if (this.#kind === 'Secret') return record('data', encoded, ({ base64 }) => base64);
    return {
      ...record(
        'data',
        encoded.filter(({ text }) => text !== undefined),
        ({ text }) => text ?? '',
      ),
      ...record(
        'binaryData',
        encoded.filter(({ text }) => text === undefined),
        ({ base64 }) => base64,
      ),
    };
  }
}

/** Object.fromEntries also sets a key such as `__proto__`, which is valid in a config. */
function record<T extends { key: string }>(
  field: 'data' | 'binaryData',
  entries: readonly T[],
  value: (entry: T) => string,
): Pick<ConfigBody, 'data' | 'binaryData'> {
  if (entries.length === 0) return {};
  return { [field]: Object.fromEntries(entries.map((entry) => [entry.key, value(entry)])) };
}

/** The error for a content that the API server would refuse because of its size. */
export function tooLarge(
  kind: ConfigKind,
  name: string,
  total: number,
  largest: { key: string; bytes: number },
): CommandFailure {
  return new CommandFailure(
    `the content of ${kind.toLowerCase()} ${JSON.stringify(name)} has ${total} bytes, and Kubernetes accepts at most ${maxContentBytes} bytes (1 MiB) in one ${kind}; its largest key is ${JSON.stringify(largest.key)} with ${largest.bytes} bytes`,
    { hint: 'split the content into several configs, or keep large files in a volume or an image' },
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns undefined for bytes that are not valid UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
