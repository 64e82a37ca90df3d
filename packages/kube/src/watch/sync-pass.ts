import type { KubeObject } from '../wire.ts';
import type { Incoming } from './read-event.ts';
import { keyOf } from './read-event.ts';
import type { Store } from './store.ts';
import { type InitialStep, stepInitial } from './stream-step.ts';

/**
 * One complete reading of the collection, by pages or by initial events. Objects reach the store as they
 * arrive, so that no more than a page is in memory; only `finish` deletes what was not named. A pass that is
 * given up half-way leaves a cache that is partly newer, and the next pass makes it whole.
 */
export class SyncPass<T> {
  readonly #seen = new Map<string, string>();
  readonly #store: Store<T, string>;
  readonly #transform: (object: KubeObject) => T;

  constructor(store: Store<T, string>, transform: (object: KubeObject) => T) {
    this.#store = store;
    this.#transform = transform;
  }

  /** The reading begins anew: what it has named so far may be gone. */
  restart(): void {
    this.#seen.clear();
  }

  takeListed(object: KubeObject): void {
    this.#put(keyOf(object), object.metadata.resourceVersion ?? '', object);
  }

  takeInitialEvent(incoming: Incoming): InitialStep {
    const seen = incoming.kind === 'object' ? this.#seen.get(incoming.key) : undefined;
    const step = stepInitial(incoming, seen);
    if (incoming.kind !== 'object') return step;
    if (step.do === 'put') this.#put(incoming.key, incoming.version, incoming.object);
    if (step.do === 'remove') {
      this.#seen.set(incoming.key, incoming.version);
      this.#store.remove(incoming.key);
    }
    return step;
  }

  finish(): void {
    this.#store.keepOnly(this.#seen);
    this.#seen.clear();
  }

  #put(key: string, version: string, object: KubeObject): void {
    this.#seen.set(key, version);
    if (this.#store.versionOf(key) !== version) this.#store.put(key, version, this.#transform(object));
  }
}
