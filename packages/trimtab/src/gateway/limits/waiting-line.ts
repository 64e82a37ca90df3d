/** The requests of one caller that wait, first come, first served. */
export class WaitingLine {
  readonly #starts = new Set<() => void>();

  get length(): number {
    return this.#starts.size;
  }

  /** Resolves when the request may start. Rejects with the reason of the signal when that aborts before. */
  join(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#starts.delete(start);
        reject(signal?.reason);
      };
      this.#starts.add(start);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Returns whether a request was waiting. */
  startFirst(): boolean {
    const [first] = this.#starts;
    if (first === undefined) return false;
    this.#starts.delete(first);
    first();
    return true;
  }
}
