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
  suite: 'level 2',
  cannotRun: { reasons: ['namespaces and containers need root'] },
};

test('every suite is counted, and the last line sums them up', () => {
  const results = [fine('level 1'), fine('faults', 40), { ...fine('level 2'), failed: 1 }];
  expect(summary(results)).toEqual([
    'level 1: 3 tests ran, 0 of them failed',
    'faults: 40 tests ran, 0 of them failed',
    'level 2: 4 tests ran, 1 of them failed',
    '46 passed, 1 failed',
  ]);
  expect(exitCode(results, false)).toBe(1);
});

test('all green', () => {
  expect(exitCode([fine('level 1'), fine('level 2')], true)).toBe(0);
});

test('a level that cannot run is loud, and a failure in CI only', () => {
  expect(summary([fine('level 1'), noRoot]).join('\n')).toContain(
    'NO TESTS RAN, because namespaces and containers need root',
  );
  expect(exitCode([fine('level 1'), noRoot], false)).toBe(0);
  expect(exitCode([fine('level 1'), noRoot], true)).toBe(1);
});

test('a run without tests is a failure', () => {
  expect(exitCode([fine('level 1', 0)], false)).toBe(1);
  expect(exitCode([noRoot], false)).toBe(1);
  expect(exitCode([], false)).toBe(1);
});

test('what breaks outside of a test counts as a failure', () => {
  const results: SuiteResult[] = [
    { suite: 'level 1', passed: 5, failed: 0, skipped: 0, broken: true, flaky: [] },
  ];
  expect(summary(results).at(-1)).toBe('5 passed, 1 failed');
  expect(exitCode(results, false)).toBe(1);
});

test('what passed only when it was run again is listed by name, and is no failure', () => {
  const results: SuiteResult[] = [{ ...fine('level 1'), flaky: ['test/a.test.ts > sometimes'] }];
  expect(summary(results)).toEqual([
    'level 1: 3 tests ran, 0 of them failed',
    '  flaky: test/a.test.ts > sometimes',
    '3 passed, 0 failed',
  ]);
  expect(exitCode(results, true)).toBe(0);
});
