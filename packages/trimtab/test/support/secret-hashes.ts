import { createHash } from 'node:crypto';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations } from '../../src/api/names.ts';
import { contentHash } from '../../src/core/version/content-hash.ts';
import { shortHash } from '../../src/core/version/object-names.ts';

export interface SecretObject extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

/** So many characters of a hash tell that it is this hash; names and abbreviations often hold no more. */
const prefixLength = 10;

/** Every Secret that exists or existed, and text that anyone may read: does the text hold a hash of a Secret? */
export class SecretHashes {
  /** The beginning of a hash → what it is the hash of. */
  readonly #known = new Map<string, string>();
  readonly #secrets = new Set<string>();

  static of(objects: readonly KubeObject[]): SecretHashes {
    const hashes = new SecretHashes();
    for (const object of objects) if (object.kind === 'Secret') hashes.add(object);
    return hashes;
  }

  /** Returns whether the content is new. */
  add({ metadata, type, data = {} }: SecretObject): boolean {
    const originalType = metadata.annotations?.[annotations.originalType] ?? type;
    const content = contentHash({ type: originalType, data });
    if (this.#secrets.has(content) || Object.keys(data).length === 0) return false;
    this.#secrets.add(content);
    const what = `the content of Secret ${metadata.name}`;
    this.#addHex(content, what);
    this.#addHex(contentHash({ data }), what);
    this.#addText(content, what);
    this.#addText(JSON.stringify(data), what);
    for (const [key, value] of Object.entries(data)) {
      const its = `value ${key} of Secret ${metadata.name}`;
      this.#addText(value, its);
      this.#addText(Buffer.from(value, 'base64').toString(), its);
    }
    return true;
  }

  /** Returns what the text holds a hash of. */
  in(text: string): string | undefined {
    for (const [hash, what] of this.#known) if (text.includes(hash)) return what;
    return undefined;
  }

  /** Returns which of these texts hold a hash. */
  among(texts: Record<string, string>): string[] {
    return Object.entries(texts).flatMap(([where, text]) => {
      const what = this.in(text);
      return what === undefined ? [] : [`${where} holds a hash of ${what}`];
    });
  }

  #addText(text: string, what: string): void {
    this.#addHex(createHash('sha256').update(text).digest('hex'), what);
    this.#known.set(shortHash(text), what);
  }

  #addHex(hex: string, what: string): void {
    this.#known.set(hex.slice(0, prefixLength), what);
    const digest = Buffer.from(hex, 'hex');
    this.#known.set(digest.toString('base64').slice(0, prefixLength), what);
    this.#known.set(digest.toString('base64url').slice(0, prefixLength), what);
    this.#known.set(base32(digest), what);
  }
}

/** The form of `shortHash`, of a digest. */
function base32(digest: Buffer): string {
  const bits = [...digest.subarray(0, 8)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: prefixLength }, (_, index) =>
    'abcdefghijklmnopqrstuvwxyz234567'.charAt(Number.parseInt(bits.slice(index * 5, index * 5 + 5), 2)),
  ).join('');
}
