/** Prints lines. While a view fills the terminal, lines wait until the view is closed. */
export class LinePrinter {
  readonly #write: (text: string) => void;
  #isHeld = false;
  #waiting: string[] = [];

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  print(line: string): void {
    if (this.#isHeld) this.#waiting.push(line);
    else this.#write(`${line}\n`);
  }

  hold(): void {
    this.#isHeld = true;
  }

  /** Prints `first`, then the lines that have waited. */
  release(first: string): void {
    this.#isHeld = false;
    for (const line of [first, ...this.#waiting.splice(0)]) this.print(line);
  }
}
