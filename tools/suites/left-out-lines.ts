import { existsSync, readFileSync } from 'node:fs';
import { filesLeftOut, type Need } from './left-out.ts';

interface VitestReport {
  testResults: {
    name: string;
    assertionResults: { status: string; meta?: { onLocal?: { leftOutFor?: Need } } }[];
  }[];
}

/** Summary lines of a run: how many tests for any cluster ran on the local cluster, and how many were skipped. */
export function localLines(report: string): string[] {
  if (!existsSync(report)) return [];
  return linesOf(readFileSync(report, 'utf8'), filesLeftOut().length);
}

export function linesOf(report: string, filesLeftOut: number): string[] {
  const { testResults }: VitestReport = JSON.parse(report);
  return [...clusterLines(testResults, filesLeftOut), ...faultLines(testResults)];
}

function clusterLines(testResults: VitestReport['testResults'], filesLeftOut: number): string[] {
  const tests = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ status, meta }) => (meta?.onLocal === undefined ? [] : [{ status, ...meta.onLocal }]));
  if (tests.length === 0) return [];
  const count = (status: string) => tests.filter((test) => test.status === status).length;
  const failed = count('failed');
  const waiting = new Map<Need, number>();
  for (const { leftOutFor: need } of tests)
    if (need !== undefined) waiting.set(need, (waiting.get(need) ?? 0) + 1);
  const reasons = [...waiting].map(([need, times]) => `tests that need ${need}: ${times}`);
  return [
    `any cluster: ${count('passed') + failed} tests ran on local, ${failed} of them failed`,
    `  skipped on local, see tools/suites/left-out.ts: ${[`${filesLeftOut} files`, ...reasons].join('; ')}`,
  ];
}

/** `npm test` and CI run only a part of the fault runs. */
function faultLines(testResults: VitestReport['testResults']): string[] {
  const runs = testResults.flatMap(({ name, assertionResults }) =>
    name.endsWith('.faults.test.ts') ? assertionResults : [],
  );
  const ran = runs.filter(({ status }) => status === 'passed' || status === 'failed').length;
  if (ran === runs.length) return [];
  return [`fault runs: ${ran} of ${runs.length} ran; \`npm run test:long\` runs all of them`];
}
