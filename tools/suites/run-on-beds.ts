import { bedEnvironment } from '@trimtab/test-bed/cluster/bed-environment.ts';
import { bringUp } from '@trimtab/test-bed/cluster/bring-up.ts';
import { enterNetwork } from '@trimtab/test-bed/cluster/node/namespaces.ts';
import { missingForLevel2 } from '@trimtab/test-bed/cluster/prerequisites.ts';
import { identify } from '@trimtab/test-bed/cluster/process/identity.ts';
import { takeDown } from '@trimtab/test-bed/cluster/take-down.ts';
import { BedError } from '@trimtab/test-bed/cluster/terminal/bed-error.ts';
import type { Progress } from '@trimtab/test-bed/cluster/terminal/progress.ts';
import { ensureTools } from '@trimtab/test-bed/tools/tool.ts';
import { contractLines } from '../../packages/local-cluster/test/contract/api/after-run.ts';
import { localLines } from './left-out-lines.ts';
import { repeatFailures, runAll, type VitestOutcome, type VitestRun } from './run-vitest.ts';
import type { BedSuite } from './suites.ts';
import type { SuiteResult } from './test-summary.ts';

/** A bed of a suite, with its share of the test files. */
interface Part {
  suite: BedSuite;
  bed: string;
  /** In the format of vitest, such as `1/2`. */
  shard: string;
}

/** Returns the names of the beds that this process brings up for these suites. */
export function bedNames(suites: readonly BedSuite[]): string[] {
  return suites.flatMap(partsOf).map(({ bed }) => bed);
}

/**
 * Runs suites in parallel, each on its own beds. The beds belong to this process and are always taken down at the end.
 * Failed test files are run again after all suites have finished.
 */
export async function runOnBeds(
  suites: readonly BedSuite[],
  vitestArgs: readonly string[],
  progress: Progress,
  signal: AbortSignal,
): Promise<SuiteResult[]> {
  const missing = missingForLevel2();
  const able = suites.filter(({ level }) => level === 1 || missing === undefined);
  const parts = able
    .flatMap(partsOf)
    .filter(({ shard }) => vitestArgs.length === 0 || shard.startsWith('1/'));
  try {
    const runs: { part: Part; run: VitestRun | BedError }[] = [];
    for (const part of parts)
      if (!signal.aborted) runs.push({ part, run: await prepare(part, vitestArgs, progress, signal) });
    const first = await Promise.all(
      runs.map(async ({ run }) => (run instanceof BedError ? undefined : runAll(run))),
    );
    const outcomes = new Map<Part, VitestOutcome>();
    for (const [index, { part, run }] of runs.entries()) {
      const before = first[index];
      if (!(run instanceof BedError) && before) outcomes.set(part, await repeatFailures(run, before));
    }
    tell(outcomes);
    return suites.map((suite) => {
      if (missing !== undefined && !able.includes(suite)) return { suite: suite.name, cannotRun: missing };
      const own = parts.filter((part) => part.suite === suite).map((part) => outcomes.get(part));
      return { suite: suite.name, ...sumOf(own) };
    });
  } finally {
    for (const { bed } of parts) {
      await takeDown(bed, progress);
      progress.step(`bed '${bed}' is down`);
    }
  }
}

function partsOf(suite: BedSuite): Part[] {
  const { project, beds = 1 } = suite;
  return Array.from({ length: beds }, (_, index) => ({
    suite,
    bed: `tests-${process.pid}-${project}${beds === 1 ? '' : `-${index + 1}`}`,
    shard: `${index + 1}/${beds}`,
  }));
}

/** Brings the bed up. A bed that does not come up fails only its own part. */
async function prepare(
  { suite, bed, shard }: Part,
  vitestArgs: readonly string[],
  progress: Progress,
  signal: AbortSignal,
): Promise<VitestRun | BedError> {
  const owner = identify(process.pid);
  try {
    if (suite.tools) await ensureTools(progress);
    const { folder, state } = await bringUp(
      { name: bed, level: suite.level, ...(owner ? { owner } : {}) },
      progress,
    );
    const narrowed = vitestArgs.length > 0;
    return {
      projects: [suite.project],
      args: narrowed ? vitestArgs : [`--shard=${shard}`],
      narrowed,
      // Tests with containers connect to pods, so they run in the network namespace of the bed.
      startedBy: state.level === 2 ? enterNetwork(folder) : [],
      env: bedEnvironment(folder, state),
      folder: folder.root,
      signal,
    };
  } catch (error) {
    if (!(error instanceof BedError)) throw error;
    reportBedError(error);
    return error;
  }
}

export function reportBedError({ message, details }: BedError): void {
  console.error(`test:cluster: ${message}`);
  for (const line of details) console.error(`  ${line}`);
}

function tell(outcomes: ReadonlyMap<Part, VitestOutcome>): void {
  for (const [{ bed, suite }, { report }] of outcomes) {
    const keepAs = `cluster-${suite.project}-${bed}.json`;
    for (const line of [...contractLines(report, keepAs), ...localLines(report)]) console.log(line);
  }
}

/** A part has no outcome when its bed did not come up. */
function sumOf(outcomes: readonly (VitestOutcome | undefined)[]) {
  const sum = { passed: 0, failed: 0, skipped: 0, broken: false, flaky: [] as string[] };
  for (const each of outcomes) {
    sum.passed += each?.passed ?? 0;
    sum.failed += each?.failed ?? 0;
    sum.skipped += each?.skipped ?? 0;
    sum.broken ||= each?.broken ?? true;
    sum.flaky.push(...(each?.flaky ?? []));
  }
  return sum;
}
