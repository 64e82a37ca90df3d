import { expect, it } from 'vitest';
import { judge, renderComparison } from './comparison.ts';
import type { FigureResult } from './row-result.ts';
import type { RunDocument } from './run-document.ts';
import { sampleOf } from './sample.ts';

const machine = { cores: 2, processor: 'Fast CPU', memoryGb: 8, node: 'v26.1.0', kubernetes: 'v1.36.3' };
const figure = (what: string, values: number[], ratios?: number[]): FigureResult => ({
  what,
  unit: 'ms',
  ours: sampleOf(values),
  ...(ratios && { ratio: sampleOf(ratios) }),
  missed: false,
});
const run = (commit: string, rows: Record<string, FigureResult[]>): RunDocument => ({
  schema: 1,
  startedAt: '2026-11-18T02:00:00.000Z',
  commit,
  count: null,
  machine,
  load: { start: 0, end: 0 },
  results: Object.entries(rows).map(([row, figures]) => {
    const heads = { row, ours: 'ours', peer: 'sketch', how: '' };
    return { ...heads, repetitions: 3, seconds: 1, load: { start: 0, end: 0 }, figures };
  }),
});

it.each([
  ['larger than the spread', [10, 11, 12], [14, 15, 16]],
  ['within the spread', [10, 11, 12], [12, 13, 14]],
  ['spread unknown', [10], [14, 15, 16]],
])('a change is %s', (verdict, before, after) => {
  expect(judge(sampleOf(before), sampleOf(after))).toBe(verdict);
});

it('lists old, new and the change of each figure, and what only one run has', () => {
  const old = run('aaa', {
    edits: [figure('p50', [40, 41, 42], [2, 2, 2]), figure('gone', [1])],
    skipped: [],
  });
  const now = run('bbb', {
    edits: [figure('p50', [30, 31, 30], [2, 2, 2]), figure('added', [0, 0, 0])],
    more: [],
  });
  expect(
    renderComparison('old.json', old, now),
  ).toBe(`Compared with old.json: commit aaa, 2026-11-18T02:00:00.000Z

edits
                         old             new    change
p50             41.0 ±1.0 ms    30.0 ±1.0 ms   −26.8 %   larger than the spread
p50, × sketch     2.00 ±0.00      2.00 ±0.00     0.0 %   within the spread
added                      –   0.00 ±0.00 ms         –   only in this run
gone                 1.00 ms               –         –   only in old.json

more: only in this run

Rows only in old.json: skipped`);
});

it('says how the machines differ', () => {
  const old = { ...run('aaa', {}), machine: { ...machine, cores: 8 } };
  expect(renderComparison('old.json', old, run('bbb', {}))).toContain(
    'The machines differ in cores: 8 then, 2 now',
  );
});
