import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigKind } from '../../core/references/references.ts';

const keptForMs = 5_000;
const maxCharacters = 4 * 1024 * 1024;

interface Fresh {
  hash: string;
  body: ConfigBody;
  characters: number;
}

/**
 * Keeps the content of managed configs for a few seconds after it arrives, because a version is usually created from
 * it immediately. Content that has expired or does not fit is read from the API server.
 */
export class FreshBodies {
  readonly #bodies = new Map<string, Fresh>();
  readonly #clock: Clock;
  #characters = 0;
  #isClearing = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  put(kind: ConfigKind, body: ConfigBody, hash: string): void {
    const { namespace = '', name = '' } = body.metadata;
    const key = `${kind}/${namespace}/${name}`;
    this.#drop(key);
    const characters = sizeOf(body.data) + sizeOf(body.binaryData);
    if (this.#characters + characters > maxCharacters) return;
    this.#characters += characters;
    this.#bodies.set(key, { hash, body, characters });
    if (this.#isClearing) return;
    this.#isClearing = true;
    // One timer serves all entries. An entry that is dropped early costs one read.
    this.#clock.after(keptForMs, () => {
      this.#isClearing = false;
      this.#characters = 0;
      this.#bodies.clear();
    });
  }

  /** Removes and returns the body with this content hash; undefined when it is not kept. */
  take(kind: ConfigKind, namespace: string, name: string, hash: string): ConfigBody | undefined {
    const key = `${kind}/${namespace}/${name}`;
    const fresh = this.#bodies.get(key);
    if (fresh?.hash !== hash) return undefined;
    this.#drop(key);
    return fresh.body;
  }

  #drop(key: string): void {
    this.#characters -= this.#bodies.get(key)?.characters ?? 0;
    this.#bodies.delete(key);
  }
}

function sizeOf(map: Record<string, string> = {}): number {
  return Object.entries(map).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
}
