import xterm, { type IBufferCell, type Terminal } from '@xterm/headless';
import type { Recording } from './recording.ts';

/** Text with one style. */
export interface Run {
  column: number;
  text: string;
  /** Number in the palette of 16 colours; undefined for the default colour. */
  colour?: number;
  bold?: true;
  faint?: true;
}

/** What a line shows from one time to another. */
export interface LineState {
  /** Number of the line since the start of the recording. It stays the same when the screen scrolls. */
  line: number;
  fromMs: number;
  /** Undefined when the line stays like this until the end. */
  toMs?: number;
  runs: Run[];
  /** The line continues the line above, which did not fit on the screen. */
  isWrapped: boolean;
}

interface Cursor {
  line: number;
  column: number;
  isShown: boolean;
}

/** What a terminal shows over time. */
export interface ScreenTimeline {
  columns: number;
  rows: number;
  endMs: number;
  lines: LineState[];
  /** The first visible line, whenever it changes. */
  tops: { atMs: number; top: number }[];
  cursors: ({ atMs: number } & Cursor)[];
}

const scrollback = 10_000;

/** Plays a recording on a terminal emulator. */
export async function playRecording({
  columns,
  rows,
  events,
  endMs,
}: Recording & { endMs: number }): Promise<ScreenTimeline> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback, allowProposedApi: true });
  const isCursorShown = cursorVisibility(terminal);
  const timeline: ScreenTimeline = { columns, rows, endMs, lines: [], tops: [], cursors: [] };
  const shown = new Map<number, LineState>();
  for (const { atMs, text } of events) {
    const before = terminal.buffer.active.baseY;
    await new Promise<void>((resolve) => terminal.write(text, resolve));
    const { baseY, cursorX, cursorY } = terminal.buffer.active;
    // One event may write more lines than fit on the screen.
    for (let line = Math.min(before, baseY); line < baseY + rows; line++) {
      const runs = runsOf(terminal, line);
      const known = shown.get(line);
      if (JSON.stringify(runs) === JSON.stringify(known?.runs ?? [])) continue;
      if (known !== undefined) known.toMs = atMs;
      const isWrapped = terminal.buffer.active.getLine(line)?.isWrapped ?? false;
      const state = { line, fromMs: atMs, runs, isWrapped };
      shown.set(line, state);
      timeline.lines.push(state);
    }
    if (timeline.tops.at(-1)?.top !== baseY) timeline.tops.push({ atMs, top: baseY });
    const cursor = { line: baseY + cursorY, column: cursorX, isShown: isCursorShown() };
    const { atMs: _, ...last } = timeline.cursors.at(-1) ?? { atMs: 0 };
    if (JSON.stringify(last) !== JSON.stringify(cursor)) timeline.cursors.push({ atMs, ...cursor });
  }
  terminal.dispose();
  return { ...timeline, lines: timeline.lines.filter(({ runs }) => runs.length > 0) };
}

/** The terminal does not tell whether its cursor is visible, so the sequences that change it are observed. */
function cursorVisibility({ parser }: Terminal): () => boolean {
  let isShown = true;
  for (const final of ['h', 'l'])
    parser.registerCsiHandler({ prefix: '?', final }, (params) => {
      if (params.includes(25)) isShown = final === 'h';
      return false;
    });
  return () => isShown;
}

function runsOf({ buffer, cols }: Terminal, line: number): Run[] {
  const found = buffer.active.getLine(line);
  const runs: Run[] = [];
  for (let column = 0; column < cols; column++) {
    const cell = found?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    if (last !== undefined && JSON.stringify(styleOfRun(last)) === JSON.stringify(style)) last.text += text;
    else runs.push({ column, text, ...style });
  }
  return runs.flatMap(withoutSpacesAround);
}

type Style = Pick<Run, 'colour' | 'bold' | 'faint'>;

function styleOf(cell: IBufferCell): Style {
  return {
    ...(cell.isFgPalette() && { colour: cell.getFgColor() }),
    ...(cell.isBold() !== 0 && { bold: true as const }),
    ...(cell.isDim() !== 0 && { faint: true as const }),
  };
}

function styleOfRun({ column: _, text: __, ...style }: Run): Style {
  return style;
}

function withoutSpacesAround(run: Run): Run[] {
  const text = run.text.trim();
  return text === ''
    ? []
    : [{ ...run, text, column: run.column + run.text.length - run.text.trimStart().length }];
}
