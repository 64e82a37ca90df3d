import { type Screen, widthOf } from './screen.ts';

/** Renders a state as lines, at most `height` of them; without a limit, all of them. */
export type Painter = (height: number | undefined) => string[];

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const clearLine = '\r\x1b[K';
const clearBelow = '\x1b[J';
const up = (rows: number) => (rows === 0 ? '' : `\x1b[${rows}A`);

/**
 * Shows a state that changes, in place, on a terminal. Every write is complete in itself: it hides the cursor, replaces
 * the old lines and shows the cursor again, below the new lines. However the program ends, the last state stays on the
 * screen and the terminal works as before.
 */
export class LiveView {
  readonly #screen: Screen;
  readonly #onResize = () => this.#draw();
  #painter: Painter | undefined;
  /** The lines on the screen. */
  #shown: string[] = [];
  #columns = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
    screen.output.on?.('resize', this.#onResize);
  }

  show(painter: Painter): void {
    this.#painter = painter;
    this.#draw();
  }

  /** Prints the last state in full, whatever its height, and leaves it on the screen. */
  end(): void {
    this.#screen.output.off?.('resize', this.#onResize);
    // Written even if nothing changed: the terminal has echoed `^C` below the state.
    if (this.#painter !== undefined) this.#replace(this.#painter(undefined));
    this.#painter = undefined;
    this.#shown = [];
  }

  #draw(): void {
    // The cursor is on a line of its own below the state.
    if (this.#painter === undefined) return;
    const lines = this.#painter(this.#rows() - 1);
    const isSame = this.#columns === this.#screen.width && lines.join('\n') === this.#shown.join('\n');
    if (!isSame) this.#replace(lines);
  }

  #replace(lines: string[]): void {
    const columns = this.#screen.width ?? 80;
    // A terminal that became narrower has broken lines that no longer fit. Rows that it has scrolled away stay there.
    const rows = this.#shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    const text = lines.map((line) => `${clearLine}${line}\n`).join('');
    this.#screen.write(
      `${hideCursor}${up(Math.min(rows, this.#rows() - 1))}${text}${clearLine}${clearBelow}${showCursor}`,
    );
    this.#shown = lines;
    this.#columns = columns;
  }

  #rows(): number {
    return Math.max(2, this.#screen.height);
  }
}
