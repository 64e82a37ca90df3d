import type { Missing } from '@trimtab/test-bed/cluster/prerequisites.ts';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** Something failed that is not a test: a file that cannot be loaded, a bed that does not come up. */
  broken: boolean;
  /** What failed, and passed when it was run again alone. */
  flaky: readonly string[];
}

export type SuiteResult = { suite: string } & (Counts | { cannotRun: Missing });

/** What the run prints at its end; the last line is for machines, too. */
export function summary(results: readonly SuiteResult[]): string[] {
  const ran = counted(results);
  const sum = (pick: (counts: Counts) => number) => ran.reduce((total, each) => total + pick(each), 0);
  // What broke outside a test has no test to count, and must not look like a success.
  const failed = sum((each) => each.failed + (each.broken ? 1 : 0));
  return [...results.flatMap(describe), `${sum((each) => each.passed)} passed, ${failed} failed`];
}

/** A run without a single test proves nothing. In CI a suite that cannot run is a failure, too. */
export function exitCode(results: readonly SuiteResult[], ci: boolean): number {
  const ran = counted(results);
  if (ran.some((each) => each.failed > 0 || each.broken)) return 1;
  if (ran.some((each) => each.passed + each.failed === 0) || ran.length === 0) return 1;
  return ci && ran.length < results.length ? 1 : 0;
}

function counted(results: readonly SuiteResult[]): Counts[] {
  return results.flatMap((each) => ('cannotRun' in each ? [] : [each]));
}

function describe(result: SuiteResult): string[] {
  const { suite } = result;
  if (!('cannotRun' in result)) {
    const total = result.passed + result.failed;
    const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : '';
    const broken = result.broken ? ', and something failed outside of the tests: see above' : '';
    return [
      `${suite}: ${total} tests ran, ${result.failed} of them failed${skipped}${broken}`,
      ...result.flaky.map((name) => `  flaky: ${name}`),
    ];
  }
  const { reasons, remedy } = result.cannotRun;
  return [
    `${suite}: NO TESTS RAN, because ${reasons.join('; ')}`,
    ...(remedy === undefined ? [] : [`  Install: ${remedy}`]),
    '  Level 1 (control plane and KWOK nodes) works without it; real signals, probes and mounts are untested.',
  ];
}
