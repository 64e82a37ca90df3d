import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff';

const context = 3;
const noNewline = '\\ No newline at end of file';

/** A text that differs in more lines than this is shown as one replaced block. */
const maxEdits = 1_000;
/** The same holds for a pair of texts with more lines than this together: the search reads all of them. */
const maxLines = 60_000;

/**
 * Limits the work for one response, however many values it compares: the search for a diff of n edits takes about
 * n²/2 steps. Values that come after the budget is spent are shown as one replaced block each.
 */
export interface DiffBudget {
  steps: number;
}

/** Two values with 1,000 edits each, or 200 values with 100. */
export function diffBudget(): DiffBudget {
  return { steps: 1_000_000 };
}

/** The hunks of a unified diff of two texts, as `diff -u` writes them, without file headers. Empty for equal texts. */
export function unifiedHunks(a: string, b: string, budget = diffBudget()): string {
  if (a === b) return '';
  const block = replacedBlock(a, b);
  // A block that only adds or only removes lines is the shortest diff already.
  const isShortest = block.removed === '' || block.added === '';
  const isSearched = !isShortest && linesIn(a) + linesIn(b) <= maxLines;
  const hunks = (isSearched ? shortestHunks(a, b, budget) : undefined) ?? [hunkOf(block)];
  const noNames = { oldFileName: '', newFileName: '', oldHeader: undefined, newHeader: undefined };
  return formatPatch({ ...noNames, hunks }, OMIT_HEADERS);
}

/** Undefined when the texts differ in more lines than the budget allows. */
function shortestHunks(a: string, b: string, budget: DiffBudget): StructuredPatchHunk[] | undefined {
  const maxEditLength = Math.min(maxEdits, Math.floor(Math.sqrt(2 * budget.steps)));
  if (maxEditLength === 0) return undefined;
  const hunks = structuredPatch('', '', a, b, undefined, undefined, { context, maxEditLength })?.hunks;
  const edits = hunks === undefined ? maxEditLength : hunks.reduce((sum, hunk) => sum + editsIn(hunk), 0);
  budget.steps -= edits ** 2 / 2;
  return hunks;
}

function editsIn({ lines }: StructuredPatchHunk): number {
  return lines.filter((line) => line.startsWith('+') || line.startsWith('-')).length;
}

/** Everything between the lines that two texts begin with and those that they end with: whole lines, as texts. */
interface ReplacedBlock {
  /** How many lines stand before the block. */
  start: number;
  before: string;
  removed: string;
  added: string;
  after: string;
}

/** Texts may have a million lines, so they are not split into lines. */
function replacedBlock(a: string, b: string): ReplacedBlock {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  start = start === 0 ? 0 : a.lastIndexOf('\n', start - 1) + 1;
  let same = 0;
  while (same < shorter - start && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same))
    same += 1;
  const isLineStart = (text: string) => same === text.length || text[text.length - 1 - same] === '\n';
  if (same > 0 && !(isLineStart(a) && isLineStart(b))) {
    const lineBreak = a.indexOf('\n', a.length - same);
    same = lineBreak < 0 ? 0 : a.length - lineBreak - 1;
  }
  return {
    start: linesIn(a.slice(0, start)),
    before: lastLines(a.slice(0, start)),
    removed: a.slice(start, a.length - same),
    added: b.slice(start, b.length - same),
    after: firstLines(a.slice(a.length - same)),
  };
}

function hunkOf({ start, before, removed, added, after }: ReplacedBlock): StructuredPatchHunk {
  const first = start - linesIn(before) + 1;
  const around = linesIn(before) + linesIn(after);
  return {
    oldStart: first,
    oldLines: around + linesIn(removed),
    newStart: first,
    newLines: around + linesIn(added),
    lines: [...marked(' ', before), ...marked('-', removed), ...marked('+', added), ...marked(' ', after)],
  };
}

function marked(mark: string, lines: string): string[] {
  if (lines === '') return [];
  const isEnded = lines.endsWith('\n');
  const all = mark + (isEnded ? lines.slice(0, -1) : lines).replaceAll('\n', `\n${mark}`);
  return isEnded ? [all] : [all, noNewline];
}

function linesIn(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function lastLines(text: string): string {
  let start = text.length;
  for (let line = 0; line < context && start > 0; line++)
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return text.slice(start);
}

function firstLines(text: string): string {
  let end = 0;
  for (let line = 0; line < context && end < text.length; line++)
    end = text.indexOf('\n', end) < 0 ? text.length : text.indexOf('\n', end) + 1;
  return text.slice(0, end);
}
