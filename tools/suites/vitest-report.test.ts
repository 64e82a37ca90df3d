import { expect, test } from 'vitest';
import {
  failedFiles,
  filesToRepeat,
  flakyNames,
  hasFailedOutsideOfTests,
  type VitestReport,
  withSecondResults,
} from './vitest-report.ts';

type Tests = Record<string, 'passed' | 'failed' | 'skipped'>;

function report(files: Record<string, Tests | 'cannot be loaded'>): VitestReport {
  const testResults = Object.entries(files).map(([name, tests]) => ({
    name,
    status:
      tests === 'cannot be loaded' || Object.values(tests).includes('failed')
        ? ('failed' as const)
        : ('passed' as const),
    assertionResults:
      tests === 'cannot be loaded'
        ? []
        : Object.entries(tests).map(([title, status]) => ({ ancestorTitles: ['', 'group'], title, status })),
  }));
  const empty = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults };
  return withSecondResults(empty, { ...empty, testResults: [] });
}

const first = report({
  '/a.test.ts': { one: 'passed', two: 'failed', three: 'failed' },
  '/b.test.ts': 'cannot be loaded',
  '/c.test.ts': { four: 'passed', five: 'skipped' },
});

test('a file fails by one of its tests, or as a whole', () => {
  expect(failedFiles(first)).toEqual(['/a.test.ts', '/b.test.ts']);
  expect(hasFailedOutsideOfTests(first)).toBe(true);
  expect(hasFailedOutsideOfTests(report({ '/a.test.ts': { one: 'failed' } }))).toBe(false);
  expect(first).toMatchObject({ numPassedTests: 2, numFailedTests: 2, numPendingTests: 1 });
});

test('what passes when it is run again alone is flaky; what fails again has failed', () => {
  const second = report({
    '/a.test.ts': { one: 'passed', two: 'passed', three: 'failed' },
    '/b.test.ts': { six: 'passed' },
  });
  expect(flakyNames(first, second)).toEqual(['/a.test.ts > group > two', '/b.test.ts']);
  const merged = withSecondResults(first, second);
  expect(merged).toMatchObject({ numPassedTests: 4, numFailedTests: 1, numPendingTests: 1 });
  expect(failedFiles(merged)).toEqual(['/a.test.ts']);
});

test('a test that fails only the second time has failed', () => {
  const second = report({ '/a.test.ts': { one: 'failed', two: 'passed', three: 'passed' } });
  const merged = withSecondResults(first, second);
  expect(merged.numFailedTests).toBe(1);
  expect(failedFiles(merged)).toEqual(['/a.test.ts', '/b.test.ts']);
});

test('a file of which the second run tells nothing keeps its failure', () => {
  const second = report({});
  expect(flakyNames(first, second)).toEqual([]);
  expect(failedFiles(withSecondResults(first, second))).toEqual(failedFiles(first));
});

test('a few failed files are run again; many are not an accident', () => {
  const failing = (count: number) =>
    report(Object.fromEntries(Array.from({ length: count }, (_, index) => [`/${index}`, { one: 'failed' }])));
  expect(filesToRepeat(failing(10))).toHaveLength(10);
  expect(filesToRepeat(failing(11))).toEqual([]);
});

test('a failed test that is skipped the second time, or is not there, keeps its failure', () => {
  const skipped = report({ '/a.test.ts': { one: 'passed', two: 'passed', three: 'skipped' } });
  expect(withSecondResults(first, skipped).numFailedTests).toBe(2);
  expect(flakyNames(first, skipped)).toEqual([]);
  const gone = report({ '/a.test.ts': { one: 'passed', two: 'passed' }, '/b.test.ts': {} });
  expect(failedFiles(withSecondResults(first, gone))).toEqual(failedFiles(first));
});
