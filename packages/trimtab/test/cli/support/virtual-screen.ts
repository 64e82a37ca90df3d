const esc = '\x1b';
const tokens = new RegExp(`${esc}\\[(\\??)([0-9;]*)([A-Za-z])|[\\s\\S]`, 'gu');

/**
 * A terminal that shows what a person sees. It knows the codes that the command line uses, breaks lines at its width,
 * scrolls, and breaks lines again when it gets narrower, as most terminals do.
 */
export class VirtualScreen {
  /** Everything that was written: rows that have scrolled away, then the visible rows. */
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  #columns: number;
  #height: number;
  isCursorShown = true;

  constructor(columns: number, height: number) {
    this.#columns = columns;
    this.#height = height;
  }

  write(text: string): void {
    for (const [token, mode, number, letter] of text.matchAll(tokens)) {
      if (letter === undefined) this.#put(token);
      else if (mode === '?') this.isCursorShown = number === '25' ? letter === 'h' : this.isCursorShown;
      else this.#control(letter, Number(number || 1));
    }
  }

  resize(columns: number, height: number): void {
    const broken = this.#rows.map((row) => pieces(row, columns));
    const above = broken.slice(0, this.#row).reduce((sum, rows) => sum + rows.length, 0);
    this.#rows = broken.flat();
    this.#row = above + Math.floor(this.#column / columns);
    this.#columns = columns;
    this.#height = height;
  }

  /** All rows, also those that have scrolled away. */
  get text(): string {
    return this.#rows
      .map((row) => row.join('').trimEnd())
      .join('\n')
      .trimEnd();
  }

  /** The rows that a person sees. */
  get visible(): string {
    return this.#rows
      .slice(this.#top)
      .map((row) => row.join('').trimEnd())
      .join('\n')
      .trimEnd();
  }

  get #top(): number {
    return Math.max(0, this.#rows.length - this.#height);
  }

  #control(letter: string, number: number): void {
    const row = this.#rows[this.#row] ?? [];
    if (letter === 'A') this.#row = Math.max(this.#top, this.#row - number);
    else if (letter === 'K') row.length = Math.min(row.length, this.#column);
    else if (letter === 'J') {
      row.length = Math.min(row.length, this.#column);
      // The rows below stay on the screen, empty.
      for (const below of this.#rows.slice(this.#row + 1)) below.length = 0;
    } else if (letter !== 'm') throw new Error(`the terminal does not know the code ${letter}`);
  }

  #put(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#nextRow();
    else {
      if (this.#column === this.#columns) {
        this.#nextRow();
        this.#column = 0;
      }
      const row = this.#rows[this.#row] ?? [];
      while (row.length < this.#column) row.push(' ');
      row[this.#column++] = character;
    }
  }

  #nextRow(): void {
    this.#row++;
    if (this.#row === this.#rows.length) this.#rows.push([]);
  }
}

function pieces(row: readonly string[], width: number): string[][] {
  if (row.length === 0) return [[]];
  return Array.from({ length: Math.ceil(row.length / width) }, (_, index) =>
    row.slice(index * width, (index + 1) * width),
  );
}
