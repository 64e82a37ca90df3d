/**
 * Lets so many through at a time, in the order in which they came. The agent's own `maxSockets` cannot do it: it
 * does not count connections that are still being made, and ours take a while to make.
 */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Resolves with what ends the turn. Who no longer wants it must end it all the same. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => this.#end();
  }

  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
