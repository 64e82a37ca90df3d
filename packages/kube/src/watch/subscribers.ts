import type { Change } from './store.ts';
import { type ChangeHandler, Subscription } from './subscription.ts';

/** All handlers of one cache. */
export class Subscribers<T> {
  readonly #subscriptions = new Set<Subscription<T>>();
  readonly #onError: (error: unknown, key: string) => void;

  constructor(onError: (error: unknown, key: string) => void) {
    this.#onError = onError;
  }

  /** Calls the handler for every object in the cache first. Returns a function that unsubscribes. */
  add(
    handler: ChangeHandler<T>,
    cache: { get(key: string): T | undefined; entries(): Iterable<[string, T]> },
  ): () => void {
    const subscription = new Subscription(handler, (key) => cache.get(key), this.#onError);
    for (const [key, after] of cache.entries()) subscription.notify({ key, after });
    this.#subscriptions.add(subscription);
    return () => {
      subscription.close();
      this.#subscriptions.delete(subscription);
    };
  }

  publish(change: Change<T>): void {
    for (const subscription of this.#subscriptions) subscription.notify(change);
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
    this.#subscriptions.clear();
  }
}
