import { randomInt } from 'node:crypto';
import { DrivenCluster } from './driven-cluster.ts';
import type { ControllerProgram } from './driven-controller.ts';
import { type RunReport, randomRun } from './random-run.ts';

/** Objects of runs that are over stay; a new cluster now and then costs less than to clear up. */
const runsPerCluster = 40;

/**
 * The same seeds each time, so that a change is judged by what it changes. `TRIMTAB_FAULT_SEED=random` draws others,
 * `TRIMTAB_FAULT_SEED=123 TRIMTAB_FAULT_RUNS=1` repeats one run.
 */
export function chosenSeeds(usualRuns: number): number[] {
  const chosen = process.env['TRIMTAB_FAULT_SEED'] ?? '1';
  const first = chosen === 'random' ? randomInt(1, 1_000_000) : Number(chosen);
  const runs = Number(process.env['TRIMTAB_FAULT_RUNS'] ?? usualRuns);
  return Array.from({ length: runs }, (_, index) => first + index);
}

/** Every so many-th of them, for one of several workers. */
export function shareOf(seeds: readonly number[], part: number, of: number): number[] {
  return seeds.filter((_, index) => index % of === part);
}

/** One after the other; answers what each came to. */
export async function* runSeeds(
  seeds: readonly number[],
  program?: ControllerProgram,
): AsyncGenerator<RunReport> {
  for (let from = 0; from < seeds.length; from += runsPerCluster) {
    await using cluster = await DrivenCluster.start();
    for (const seed of seeds.slice(from, from + runsPerCluster))
      yield await randomRun(cluster, seed, program);
  }
}

export function titleOf({ seed, story }: RunReport): string {
  return `seed ${seed}: ${story}`;
}

/** What to know about a run that failed, and how to have it again. */
export function failureText(report: RunReport): string {
  const { seed, failure } = report;
  return [titleOf(report), failure, `again: TRIMTAB_FAULT_SEED=${seed} npm run test:random -- --runs 1`].join(
    '\n',
  );
}

/** `1000 runs (seeds 1 to 1000): 48211 faults, 1290 kills, 540 freezes; 0 failed` */
export function summaryOf(reports: readonly RunReport[]): string {
  const sum = (of: (report: RunReport) => number) => reports.reduce((total, each) => total + of(each), 0);
  const seeds = reports.map(({ seed }) => seed);
  const told = [
    `${reports.length} runs (seeds ${Math.min(...seeds)} to ${Math.max(...seeds)}): ${sum(({ faults }) => faults)} faults`,
    `${sum(({ kills }) => kills)} kills`,
    `${sum(({ freezes }) => freezes)} freezes`,
  ].join(', ');
  return `${told}; ${sum(({ failure }) => (failure === undefined ? 0 : 1))} failed`;
}
