import { existsSync, readFileSync } from 'node:fs';
import { filesLeftOut, type Need } from './left-out.ts';

interface VitestReport {
  testResults: {
    name: string;
    assertionResults: { status: string; meta?: { onLocal?: { leftOutFor?: Need } } }[];
  }[];
}

/** What a run says at its end about the tests for any cluster that it ran on the local one, and those it did not. */
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
  const reasons = [...waiting].map(([need, times]) => `${times} for want of ${need}`);
  return [
    `any cluster: ${count('passed') + failed} tests ran on local, ${failed} of them failed`,
    `  left out there, see tools/suites/left-out.ts: ${[`${filesLeftOut} files`, ...reasons].join(', ')}`,
  ];
}

/** `npm test` and CI run a part of them. */
function faultLines(testResults: VitestReport['testResults']): string[] {
  const runs = testResults.flatMap(({ name, assertionResults }) =>
    name.endsWith('.faults.test.ts') ? assertionResults : [],
  );
  const ran = runs.filter(({ status }) => status === 'passed' || status === 'failed').length;
  if (ran === runs.length) return [];
  return [`fault runs: ${ran} of ${runs.length} ran; \`npm run test:long\` has them all`];
}
