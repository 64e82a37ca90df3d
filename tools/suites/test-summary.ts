import type { Missing } from '@trimtab/test-bed/cluster/prerequisites.ts';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** A failure outside of a test: a file that cannot be loaded, or a bed that does not come up. */
  broken: boolean;
  /** Names of the tests that failed, and passed when they were run again alone. */
  flaky: readonly string[];
}

export type SuiteResult = { suite: string } & (Counts | { cannotRun: Missing });

/** The last lines of the run. Scripts read the very last one. */
export function summary(results: readonly SuiteResult[]): string[] {
  const ran = counted(results);
  const sum = (pick: (counts: Counts) => number) => ran.reduce((total, each) => total + pick(each), 0);
  // A failure outside of a test is not in the count of failed tests, so it is added here.
  const failed = sum((each) => each.failed + (each.broken ? 1 : 0));
  return [...results.flatMap(describe), `${sum((each) => each.passed)} passed, ${failed} failed`];
}

/** A run without tests is a failure. In CI a suite that cannot run is a failure as well. */
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
    const broken = result.broken ? ', and a failure outside of the tests, see above' : '';
    return [
      `${suite}: ${total} tests ran, ${result.failed} of them failed${skipped}${broken}`,
      ...result.flaky.map((name) => `  flaky: ${name}`),
    ];
  }
  const { reasons, remedy } = result.cannotRun;
  return [
    `${suite}: NO TESTS RAN: ${reasons.join('; ')}`,
    ...(remedy === undefined ? [] : [`  Install: ${remedy}`]),
    '  Level 1 (control plane and KWOK nodes) works without this; real signals, probes and mounts are not tested.',
  ];
}
