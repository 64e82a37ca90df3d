import { expect, test } from 'vitest';
import { linesOf } from './left-out-lines.ts';

const file = (name: string, tests: object[]) => ({ name, assertionResults: tests });
const report = (...tests: object[]) =>
  JSON.stringify({ testResults: [file('packages/kube/test/watch.cluster.test.ts', tests)] });

test('a run tells how many tests for any cluster ran on the local cluster, and what the others wait for', () => {
  const lines = linesOf(
    report(
      { status: 'passed', meta: { onLocal: {} } },
      { status: 'failed', meta: { onLocal: {} } },
      { status: 'skipped', meta: { onLocal: { leftOutFor: 'workloads' } } },
      { status: 'skipped', meta: { onLocal: { leftOutFor: 'workloads' } } },
      { status: 'skipped', meta: { onLocal: { leftOutFor: 'kubectl' } } },
      { status: 'passed', meta: {} },
      { status: 'passed' },
    ),
    3,
  );
  expect(lines).toEqual([
    'any cluster: 2 tests ran on local, 1 of them failed',
    '  skipped on local, see tools/suites/left-out.ts: 3 files; tests that need workloads: 2; tests that need kubectl: 1',
  ]);
});

test('a run without any of them says nothing', () => {
  expect(linesOf(report({ status: 'passed', meta: {} }), 3)).toEqual([]);
});

test('a run that had time for some fault runs tells of how many, and where the others are', () => {
  const faults = file('packages/trimtab/test/faults/killed.faults.test.ts', [
    { status: 'passed', meta: {} },
    { status: 'failed', meta: {} },
    { status: 'skipped', meta: {} },
  ]);
  const told = ['fault runs: 2 of 3 ran; `npm run test:long` runs all of them'];
  expect(linesOf(JSON.stringify({ testResults: [faults] }), 3)).toEqual(told);
});
