import { expect, it } from 'vitest';
import { renderReport } from './report.ts';
import type { FigureResult } from './row-result.ts';
import type { RunDocument } from './run-document.ts';
import { sampleOf } from './sample.ts';

const run: RunDocument = {
  schema: 1,
  startedAt: '2026-11-18T02:00:00.000Z',
  commit: '0123456789ab',
  count: null,
  machine: { cores: 2, processor: 'Fast CPU', memoryGb: 8, node: 'v26.1.0', kubernetes: 'v1.36.3' },
  load: { start: 0.5, end: 1.5 },
  results: [],
};

const result = (figures: FigureResult[], repetitions = 3) => ({
  row: 'a-row',
  ours: 'ours',
  peer: 'sketch',
  how: 'by looking',
  repetitions,
  seconds: 61,
  load: { start: 0.7, end: 1.2 },
  figures,
});

const resident: FigureResult = {
  what: 'resident',
  unit: 'MB',
  ours: sampleOf([81, 80, 82]),
  budget: { atMost: 120 },
  missed: false,
};

it('puts ours beside the peer, the ratio and the budget', () => {
  const latency: FigureResult = {
    what: 'p50',
    unit: 'ms',
    ours: sampleOf([4, 3.1, 5]),
    peer: sampleOf([2, 2, 2]),
    ratio: sampleOf([2, 1.55, 2.5]),
    budget: { atMostTimesPeer: 1.25 },
    missed: true,
  };
  expect(renderReport({ ...run, results: [result([latency, resident])] })).toBe(
    `2 cores (Fast CPU), 8 GB, Node v26.1.0, Kubernetes v1.36.3
commit 0123456789ab, load 0.5 at the start and 1.5 at the end

a-row: by looking
3 repetitions in 61 s, load 0.7 at the start and 1.2 at the end; spread above 10 %: p50
                    ours          sketch   ratio   budget
p50        4.00 ±1.00 ms   2.00 ±0.00 ms    2.00   ≤ 1.25 × sketch (missed)
resident    81.0 ±1.0 MB               –       –   ≤ 120 MB

Missed budgets:
  a-row: p50`,
  );
});

it('has a column for Reloader only when it was measured', () => {
  const withReloader = { ...resident, reloader: sampleOf([345, 345, 345]) };
  expect(renderReport({ ...run, results: [result([withReloader])] })).toContain('345 ±0 MB');
  expect(renderReport({ ...run, results: [result([resident])] })).not.toContain('Reloader');
});

it('says that the spread of a single repetition is unknown by leaving it out', () => {
  const once = { ...resident, ours: sampleOf([81]) };
  expect(renderReport({ ...run, results: [result([once], 1)] })).toContain(`a-row: by looking
1 repetition in 61 s, load 0.7 at the start and 1.2 at the end
              ours   sketch   budget
resident   81.0 MB        –   ≤ 120 MB

All budgets are met.`);
});

it('warns that a quick run cannot be compared', () => {
  expect(renderReport({ ...run, count: 5 })).toContain(
    '--count 5: compare these figures only with runs of the same --count',
  );
});
