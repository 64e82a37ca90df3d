import type { Change } from './store.ts';

/** A handler may be asynchronous; it receives the next change after its promise has settled. */
export type ChangeHandler<T> = (change: Change<T>) => void | Promise<void>;

/**
 * Delivers changes to one handler, one at a time. An idle handler receives each change immediately. Changes that
 * arrive while the handler is busy are merged by key: the handler then receives each key once, with the state before
 * the first missed change and the current state. The backlog is therefore limited to one entry for each object.
 */
export class Subscription<T> {
  /** Keys of missed changes, with the last state that the handler received. */
  readonly #missed = new Map<string, T | undefined>();
  readonly #handler: ChangeHandler<T>;
  readonly #read: (key: string) => T | undefined;
  readonly #onError: (error: unknown, key: string) => void;
  #busy = false;
  #closed = false;

  constructor(
    handler: ChangeHandler<T>,
    read: (key: string) => T | undefined,
    onError: (error: unknown, key: string) => void,
  ) {
    this.#handler = handler;
    this.#read = read;
    this.#onError = onError;
  }

  notify(change: Change<T>): void {
    if (this.#closed) return;
    if (!this.#busy) this.#deliver(change);
    else if (!this.#missed.has(change.key)) this.#missed.set(change.key, change.before);
  }

  close(): void {
    this.#closed = true;
    this.#missed.clear();
  }

  #deliver(first: Change<T> | undefined): void {
    // Also set for synchronous handlers: a change that the handler causes must not be delivered before it returns.
    this.#busy = true;
    for (let change = first; change !== undefined; change = this.#nextMissed()) {
      const running = this.#call(change);
      if (running) {
        void running.then(() => this.#deliver(this.#nextMissed()));
        return;
      }
    }
    this.#busy = false;
  }

  /** Returns a promise that never rejects if the handler is asynchronous, else undefined. */
  #call(change: Change<T>): Promise<void> | undefined {
    try {
      const running = this.#handler(change);
      if (running instanceof Promise)
        return running.catch((error: unknown) => this.#onError(error, change.key));
    } catch (error) {
      this.#onError(error, change.key);
    }
    return undefined;
  }

  #nextMissed(): Change<T> | undefined {
    for (const [key, before] of this.#missed) {
      this.#missed.delete(key);
      const after = this.#read(key);
      // The object was created and deleted while the handler was busy.
      if (before === undefined && after === undefined) continue;
      return { key, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    }
    return undefined;
  }
}
