const everyMs = 5;

/**
 * Tracks when this process last handled incoming data: an event that is read now cannot have arrived before that. The
 * bound is two ticks old, so at least one turn of the event loop has read every connection with data in between.
 */
export class Attention {
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();
  #before = performance.now();

  constructor() {
    this.#timer = setInterval(() => {
      [this.#before, this.#last] = [this.#last, performance.now()];
    }, everyMs);
  }

  get since(): number {
    return this.#before;
  }

  now(): number {
    return performance.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
