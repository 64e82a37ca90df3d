/**
 * Which waiting key is next: namespaces take turns, and within one the key that has waited longest. So a
 * thousand keys of one namespace delay a key of another by one turn. Each key waits at most once.
 */
export class FairOrder {
  /** Both keep the order of insertion: the first namespace has the next turn. */
  readonly #turns = new Map<string, Set<string>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False when the key waits already. */
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
        // To the end of the line, if it has more.
        this.#turns.delete(namespace);
        if (waiting.size > 0) this.#turns.set(namespace, waiting);
        this.#size--;
        return key;
      }
    }
    return undefined;
  }
}

/** Keys without a namespace share one turn. */
function namespaceOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}
