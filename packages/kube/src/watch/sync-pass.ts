import type { KubeObject } from '../wire.ts';
import type { Incoming } from './read-event.ts';
import { keyOf } from './read-event.ts';
import type { Store } from './store.ts';
import { type InitialStep, stepInitial } from './stream-step.ts';

/**
 * One sync of the whole collection, from list pages or from initial events. Objects are stored as they arrive, so no
 * more than one page is in memory. Only `finish` removes objects that the sync did not contain. An aborted pass
 * leaves a cache that is partly newer; the next pass completes it.
 */
export class SyncPass<T> {
  readonly #seen = new Map<string, string>();
  readonly #store: Store<T, string>;
  readonly #transform: (object: KubeObject) => T;

  constructor(store: Store<T, string>, transform: (object: KubeObject) => T) {
    this.#store = store;
    this.#transform = transform;
  }

  /** Restarts the sync. Objects received so far may have been deleted since. */
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
