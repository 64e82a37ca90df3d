import { expect, test } from 'vitest';
import { exitCode, type SuiteResult, summary } from './test-summary.ts';

const fine = (suite: string, passed = 3): SuiteResult => ({
  suite,
  passed,
  failed: 0,
  skipped: 0,
  broken: false,
  flaky: [],
});
const noRoot: SuiteResult = {
  suite: 'containers',
  cannotRun: { reasons: ['namespaces and containers need root'] },
};

test('every suite is counted, and the last line sums them up', () => {
  const results = [fine('kubernetes'), fine('faults', 40), { ...fine('containers'), failed: 1 }];
  expect(summary(results)).toEqual([
    'kubernetes: 3 tests ran, 0 of them failed',
    'faults: 40 tests ran, 0 of them failed',
    'containers: 4 tests ran, 1 of them failed',
    '46 passed, 1 failed',
  ]);
  expect(exitCode(results, false)).toBe(1);
});

test('all green', () => {
  expect(exitCode([fine('kubernetes'), fine('containers')], true)).toBe(0);
});

test('a level that cannot run is loud, and a failure in CI only', () => {
  expect(summary([fine('kubernetes'), noRoot]).join('\n')).toContain(
    'NO TESTS RAN: namespaces and containers need root',
  );
  expect(exitCode([fine('kubernetes'), noRoot], false)).toBe(0);
  expect(exitCode([fine('kubernetes'), noRoot], true)).toBe(1);
});

test('a run without tests is a failure', () => {
  expect(exitCode([fine('kubernetes', 0)], false)).toBe(1);
  expect(exitCode([noRoot], false)).toBe(1);
  expect(exitCode([], false)).toBe(1);
});

test('what breaks outside of a test counts as a failure', () => {
  const results: SuiteResult[] = [
    { suite: 'kubernetes', passed: 5, failed: 0, skipped: 0, broken: true, flaky: [] },
  ];
  expect(summary(results).at(-1)).toBe('5 passed, 1 failed');
  expect(exitCode(results, false)).toBe(1);
});

test('what passed only when it was run again is listed by name, and is no failure', () => {
  const results: SuiteResult[] = [{ ...fine('kubernetes'), flaky: ['test/a.test.ts > sometimes'] }];
  expect(summary(results)).toEqual([
    'kubernetes: 3 tests ran, 0 of them failed',
    '  flaky: test/a.test.ts > sometimes',
    '3 passed, 0 failed',
  ]);
  expect(exitCode(results, true)).toBe(0);
});
