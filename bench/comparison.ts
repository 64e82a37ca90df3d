import { amount } from './amount.ts';
import type { Machine } from './machine.ts';
import type { FigureResult, RowResult } from './row-result.ts';
import type { RunDocument } from './run-document.ts';
import type { Sample } from './sample.ts';
import { table } from './table.ts';

type Verdict = 'larger than the spread' | 'within the spread' | 'spread unknown';

/** Whether the medians differ by more than the spreads of both runs together. */
export function judge(before: Sample, after: Sample): Verdict {
  if (before.spread === null || after.spread === null) return 'spread unknown';
  const larger = Math.abs(after.median - before.median) > before.spread + after.spread;
  return larger ? 'larger than the spread' : 'within the spread';
}

/** Shows each figure of `now` beside the same figure of `old`; `file` is the name of `old`. */
export function renderComparison(file: string, old: RunDocument, now: RunDocument): string {
  const rowsOf = ({ results }: RunDocument) => new Set(results.map(({ row }) => row));
  const missing = [...rowsOf(old)].filter((row) => !rowsOf(now).has(row));
  return [
    [
      `Compared with ${file}: commit ${old.commit}, ${old.startedAt}`,
      ...differences(old.machine, now.machine),
    ].join('\n'),
    ...now.results.map((result) => compareRow(file, find(old, result.row), result)),
    ...(missing.length === 0 ? [] : [`Rows only in ${file}: ${missing.join(', ')}`]),
  ].join('\n\n');
}

function differences(old: Machine, now: Machine): string[] {
  const keys = Object.keys(now) as (keyof Machine)[];
  return keys
    .filter((key) => old[key] !== now[key])
    .map((key) => `The machines differ in ${key}: ${old[key]} then, ${now[key]} now`);
}

function find({ results }: RunDocument, row: string): RowResult | undefined {
  return results.find((result) => result.row === row);
}

function compareRow(file: string, old: RowResult | undefined, now: RowResult): string {
  if (old === undefined) return `${now.row}: only in this run`;
  const before = lines(old);
  const after = lines(now);
  const names = new Set([...after.keys(), ...before.keys()]);
  const body = [...names].map((name) => [name, ...compareLine(file, before.get(name), after.get(name))]);
  return [now.row, ...table([['', 'old', 'new', 'change', ''], ...body])].join('\n');
}

interface Line {
  sample: Sample;
  unit: string;
}

/** The lines of a row by name. The ratio has its own line: it remains comparable when the machine is slower. */
function lines({ figures, peer }: RowResult): Map<string, Line> {
  const linesOf = ({ what, unit, ours, ratio }: FigureResult): [string, Line][] => [
    [what, { sample: ours, unit }],
    ...(ratio === undefined
      ? []
      : [[`${what}, × ${peer}`, { sample: ratio, unit: '' }] satisfies [string, Line]]),
  ];
  return new Map(figures.flatMap(linesOf));
}

function compareLine(file: string, old: Line | undefined, now: Line | undefined): string[] {
  const text = (line: Line | undefined) => (line === undefined ? '–' : amount(line.sample, line.unit));
  if (old === undefined) return ['–', text(now), '–', 'only in this run'];
  if (now === undefined) return [text(old), '–', '–', `only in ${file}`];
  return [text(old), text(now), change(old.sample, now.sample), judge(old.sample, now.sample)];
}

function change({ median: old }: Sample, { median: now }: Sample): string {
  if (old === now) return '0.0 %';
  if (old === 0) return '–';
  const percent = ((now - old) / Math.abs(old)) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}
