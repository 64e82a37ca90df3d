import { expect, it } from 'vitest';
import { renderReport } from './report.ts';

it('puts ours beside the peer and the budget', () => {
  const machine = {
    cores: 2,
    processor: 'Fast CPU',
    memoryGb: 8,
    loadAverage: 0.5,
    node: 'v26.1.0',
    kubernetes: 'v1.36.3',
  };
  const figures = [
    { what: 'p50', unit: 'ms', ours: 3.156, peer: 3.2 },
    { what: 'resident', unit: 'MB', ours: 81.26, peer: 412, budget: '≤ 120 MB' },
    { what: 'alone', unit: 's', ours: 12 },
  ];
  const result = { row: 'a-row', ours: 'ours', peer: 'theirs', how: 'by looking', figures };
  expect(renderReport(machine, [result])).toBe(
    `2 cores (Fast CPU), 8 GB, Node v26.1.0, Kubernetes v1.36.3, load 0.5 at the start

a-row: by looking
              ours    theirs   budget
p50        3.16 ms   3.20 ms   –
resident   81.3 MB    412 MB   ≤ 120 MB
alone       12.0 s         –   –`,
  );
});
