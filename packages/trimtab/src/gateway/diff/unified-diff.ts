import { type Edit, lineDiff } from './line-diff.ts';

const context = 3;
const noNewline = '\\ No newline at end of file';

/** The hunks of a unified diff of two texts, as `diff -u` writes them, without its head. Empty when they are alike. */
export function unifiedHunks(a: string, b: string): string {
  const edits = lineDiff(linesOf(a), linesOf(b));
  const before = countsOf(edits);
  return hunksOf(edits)
    .map(({ from, to }) => renderHunk(edits, before, from, to))
    .join('');
}

/** Each line with its line break, so that the last one may lack it. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Ranges of edits around what changed; what is near enough shares one. */
function hunksOf(edits: readonly Edit[]): { from: number; to: number }[] {
  const hunks: { from: number; to: number }[] = [];
  edits.forEach((edit, index) => {
    if ('keep' in edit) return;
    const from = Math.max(0, index - context);
    const to = Math.min(edits.length, index + context + 1);
    const last = hunks.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  });
  return hunks;
}

function renderHunk(edits: readonly Edit[], before: Counts, from: number, to: number): string {
  const old = range(before.old[from] ?? 0, (before.old[to] ?? 0) - (before.old[from] ?? 0));
  const now = range(before.now[from] ?? 0, (before.now[to] ?? 0) - (before.now[from] ?? 0));
  return `@@ -${old} +${now} @@\n${edits.slice(from, to).map(renderLine).join('')}`;
}

/** How many lines of each text stand before each edit. */
interface Counts {
  old: Int32Array;
  now: Int32Array;
}

function countsOf(edits: readonly Edit[]): Counts {
  const old = new Int32Array(edits.length + 1);
  const now = new Int32Array(edits.length + 1);
  edits.forEach((edit, index) => {
    old[index + 1] = (old[index] ?? 0) + ('add' in edit ? 0 : 1);
    now[index + 1] = (now[index] ?? 0) + ('remove' in edit ? 0 : 1);
  });
  return { old, now };
}

/** `diff` counts from 1, and names the line before when there is none. */
function range(before: number, lines: number): string {
  return `${lines === 0 ? before : before + 1},${lines}`;
}

function renderLine(edit: Edit): string {
  const [mark, line] =
    'keep' in edit ? [' ', edit.keep] : 'add' in edit ? ['+', edit.add] : ['-', edit.remove];
  return line.endsWith('\n') ? mark + line : `${mark}${line}\n${noNewline}\n`;
}
