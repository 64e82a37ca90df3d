import { removeAbandonedBeds } from '@trimtab/test-bed/cluster/remove-abandoned-beds.ts';
import { takeDown } from '@trimtab/test-bed/cluster/take-down.ts';
import { BedError } from '@trimtab/test-bed/cluster/terminal/bed-error.ts';
import { type Progress, terminalProgress } from '@trimtab/test-bed/cluster/terminal/progress.ts';
import { exitWithHelpIfAsked } from '@trimtab/test-bed/tool-arguments.ts';
import { runConformance } from '../../packages/local-cluster/test/conformance/run.ts';
import { lists } from '../../packages/local-cluster/test/conformance/specs.ts';
import { conformanceCounts, reportLines } from '../../packages/local-cluster/test/conformance/table.ts';
import { bedNames, reportBedError, runOnBeds } from './run-on-beds.ts';
import { type ConformanceSuite, chooseSuites, help, isOnBed, type Suite } from './suites.ts';
import { exitCode, type SuiteResult, summary } from './test-summary.ts';

/** Stops the running tests. */
const stop = new AbortController();

async function runSuites(
  suites: readonly Suite[],
  vitestArgs: readonly string[],
  progress: Progress,
): Promise<SuiteResult[]> {
  const results = await runOnBeds(suites.filter(isOnBed), vitestArgs, progress, stop.signal);
  for (const suite of suites) if (!isOnBed(suite)) results.push(await runSpecs(suite, progress));
  return results;
}

async function runSpecs({ name, conformance }: ConformanceSuite, progress: Progress): Promise<SuiteResult> {
  try {
    const run = await runConformance(lists, conformance, progress, stop.signal);
    for (const line of reportLines(run)) console.log(line);
    return { suite: name, ...conformanceCounts(run) };
  } catch (error) {
    if (!(error instanceof BedError)) throw error;
    reportBedError(error);
    return { suite: name, passed: 0, failed: 0, skipped: 0, broken: true, flaky: [] };
  }
}

/**
 * Stops the tests and takes their beds down on a signal. Further signals are ignored, because npm forwards the SIGINT
 * that the terminal has already sent.
 */
function takeDownWhenInterrupted(suites: readonly Suite[], progress: Progress): void {
  const interrupted = async () => {
    if (stop.signal.aborted) return;
    stop.abort();
    await Promise.allSettled(bedNames(suites.filter(isOnBed)).map((bed) => takeDown(bed, progress)));
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void interrupted());
}

async function main(argv: readonly string[]): Promise<number> {
  exitWithHelpIfAsked(help, argv);
  const progress = terminalProgress();
  const { stages, vitestArgs } = chooseSuites(argv);
  takeDownWhenInterrupted(stages.flat(), progress);
  await removeAbandonedBeds(progress);
  const results: SuiteResult[] = [];
  for (const suites of stages)
    if (!stop.signal.aborted) results.push(...(await runSuites(suites, vitestArgs, progress)));
  for (const line of summary(results)) console.log(line);
  return exitCode(results, process.env['CI'] === 'true');
}

process.exitCode = await main(process.argv.slice(2));
