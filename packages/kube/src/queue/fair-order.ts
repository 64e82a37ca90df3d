/**
 * Order of waiting keys: round robin over namespaces, first in, first out within a namespace. A thousand keys of one
 * namespace therefore delay a key of another namespace by one key only. Each key waits at most once.
 */
export class FairOrder {
  /** Map and Set iterate in insertion order; the first namespace is next. */
  readonly #turns = new Map<string, Set<string>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns false when the key is already waiting. */
  add(key: string): boolean {
    const namespace = namespaceOf(key);
    const waiting = this.#turns.get(namespace);
    if (waiting?.has(key)) return false;
    if (waiting) waiting.add(key);
    else this.#turns.set(namespace, new Set([key]));
    this.#size++;
    return true;
  }

  take(): string | undefined {
    for (const [namespace, waiting] of this.#turns) {
      for (const key of waiting) {
        waiting.delete(key);
        // A namespace with more keys moves to the end.
        this.#turns.delete(namespace);
        if (waiting.size > 0) this.#turns.set(namespace, waiting);
        this.#size--;
        return key;
      }
    }
    return undefined;
  }
}

/** Keys without a namespace count as one namespace. */
function namespaceOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}
