import type { Change } from './store.ts';

/** May be asynchronous; it then gets the next change only when it has finished with the last one. */
export type ChangeHandler<T> = (change: Change<T>) => void | Promise<void>;

/**
 * Delivers changes to one handler, one at a time. A handler that keeps up gets each change at once. What
 * happens while it is busy is kept as keys only and merged: it then learns of each key once, with the state
 * before the first missed change and the present one. So the most that can wait is one entry per object.
 */
export class Subscription<T> {
  /** Key → the state that the handler knows. */
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
    // Busy even while a synchronous handler runs: a change it causes must not overtake the one it is in.
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

  /** A promise that never rejects, when the handler is asynchronous. */
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
      // Came and went while nobody looked.
      if (before === undefined && after === undefined) continue;
      return { key, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    }
    return undefined;
  }
}
