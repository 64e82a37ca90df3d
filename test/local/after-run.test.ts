import { expect, test } from 'vitest';
import { linesOf } from './after-run.ts';

const file = (name: string, tests: object[]) => ({ name, assertionResults: tests });
const report = (...tests: object[]) =>
  JSON.stringify({ testResults: [file('test/contract/watch.level1.test.ts', tests)] });

test('a run tells how many tests of level 1 ran on the local cluster, and what the others wait for', () => {
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
    'level 1: 2 tests ran on local, 1 of them failed',
    '  left out there, see test/local/left-out.ts: 3 files, 2 for want of workloads, 1 for want of kubectl',
  ]);
});

test('a run without any of them says nothing', () => {
  expect(linesOf(report({ status: 'passed', meta: {} }), 3)).toEqual([]);
});

test('a run that had time for some fault runs tells of how many, and where the others are', () => {
  const faults = file('test/e2e/faults/killed.faults.test.ts', [
    { status: 'passed', meta: {} },
    { status: 'failed', meta: {} },
    { status: 'skipped', meta: {} },
  ]);
  const told = ['fault runs: 2 of 3 ran; `npm run test:long` has them all'];
  expect(linesOf(JSON.stringify({ testResults: [faults] }), 3)).toEqual(told);
});
