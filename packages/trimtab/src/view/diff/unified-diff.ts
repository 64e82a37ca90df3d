import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff';

const context = 3;
const noNewline = '\\ No newline at end of file';

/** A text that differs in more lines than this is shown as one replaced block. */
const maxEdits = 1_000;

/**
 * Limits the work for one response, however many values it compares: the search for a diff of n edits takes about
 * n²/2 steps. Values that come after the budget is spent are shown as one replaced block each.
 */
export interface DiffBudget {
  steps: number;
}

/** Four values with 1,000 edits each, or 400 values with 100. */
export function diffBudget(): DiffBudget {
  return { steps: 2_000_000 };
}

/** The hunks of a unified diff of two texts, as `diff -u` writes them, without file headers. Empty for equal texts. */
export function unifiedHunks(a: string, b: string, budget = diffBudget()): string {
  if (a === b) return '';
  const block = replacedBlock(linesOf(a), linesOf(b));
  // A block that only adds or only removes lines is the shortest diff already.
  const isShortest = block.removed.length === 0 || block.added.length === 0;
  const hunks = (isShortest ? undefined : shortestHunks(a, b, budget)) ?? [hunkOf(block)];
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

/** Everything between the lines that two texts begin with and those that they end with. */
interface ReplacedBlock {
  /** How many lines stand before the block. */
  start: number;
  before: string[];
  removed: string[];
  added: string[];
  after: string[];
}

function replacedBlock(a: readonly string[], b: readonly string[]): ReplacedBlock {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return {
    start,
    before: a.slice(Math.max(0, start - context), start),
    removed: a.slice(start, a.length - end),
    added: b.slice(start, b.length - end),
    after: a.slice(a.length - end).slice(0, context),
  };
}

function hunkOf({ start, before, removed, added, after }: ReplacedBlock): StructuredPatchHunk {
  const first = start - before.length + 1;
  const around = before.length + after.length;
  return {
    oldStart: first,
    oldLines: around + removed.length,
    newStart: first,
    newLines: around + added.length,
    lines: [...marked(' ', before), ...marked('-', removed), ...marked('+', added), ...marked(' ', after)],
  };
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? `${mark}${line.slice(0, -1)}` : [`${mark}${line}`, noNewline],
  );
}

/** Each line with its line break, so that the last one may lack it. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
