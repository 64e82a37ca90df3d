const everyMs = 5;

/**
 * Knows when this process last had time for what had arrived: an event that is read now may be as old as that. Two
 * ticks lie between, and so at least one round in which every connection that had something was read.
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
