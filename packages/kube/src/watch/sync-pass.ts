import type { KubeObject } from '../wire.ts';
import type { Incoming } from './read-event.ts';
import { keyOf } from './read-event.ts';
import { compareVersions, isComparable } from './resource-version.ts';
import type { Store } from './store.ts';
import { type InitialStep, stepInitial } from './stream-step.ts';

/**
 * One sync of the whole collection, from list pages or from initial events. Objects are stored as they arrive, so no
 * more than one page is in memory. Only `finish` removes objects that the sync did not contain. An aborted attempt
 * leaves a cache that is partly newer; the next one, after `restart`, completes it.
 */
export class SyncPass<T> {
  /** Key → version of each object that this attempt has received, deleted ones included. */
  readonly #seen = new Map<string, string>();
  /** The same for all attempts. A response that is older does not bring an object back. */
  readonly #received = new Map<string, string>();
  /** Responses that arrived during the sync. The sync can have started before they were written. */
  readonly #noted = new Map<string, string>();
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
      this.#receive(incoming.key, incoming.version);
      if (!this.#isNotedAfter(incoming.version, incoming.key)) this.#store.remove(incoming.key);
    }
    return step;
  }

  /** Whether a response is newer than what the sync has received. The cache then keeps it until the sync is complete. */
  takeNoted(key: string, version: string): boolean {
    const received = this.#received.get(key);
    if (received !== undefined && isComparable(received) && compareVersions(received, version) >= 0)
      return false;
    this.#noted.set(key, version);
    return true;
  }

  /** `mark` is the version up to which the sync is complete. A response above it is not part of the sync. */
  finish(mark: string): void {
    this.#store.keepOnly({ has: (key) => this.#seen.has(key) || this.#isNotedAfter(mark, key) });
  }

  #isNotedAfter(version: string, key: string): boolean {
    const noted = this.#noted.get(key);
    return noted !== undefined && isComparable(version) && compareVersions(noted, version) > 0;
  }

  #receive(key: string, version: string): void {
    this.#seen.set(key, version);
    this.#received.set(key, version);
  }

  #put(key: string, version: string, object: KubeObject): void {
    this.#receive(key, version);
    if (this.#isNotedAfter(version, key)) return;
    if (this.#store.versionOf(key) !== version) this.#store.put(key, version, this.#transform(object));
  }
}
