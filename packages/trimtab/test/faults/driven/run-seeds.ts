import { randomInt } from 'node:crypto';
import { DrivenCluster } from './driven-cluster.ts';
import { type RunOptions, type RunReport, randomRun } from './random-run.ts';

/** Objects of finished runs are not deleted: a new cluster from time to time costs less than a cleanup. */
const runsPerCluster = 40;

/**
 * The seeds are the same each time, so a new failure is caused by a change of the code. `TRIMTAB_FAULT_SEED=random`
 * uses random seeds, and `TRIMTAB_FAULT_SEED=123 TRIMTAB_FAULT_RUNS=1` repeats one run.
 */
export function chosenSeeds(usualRuns: number): number[] {
  const chosen = process.env['TRIMTAB_FAULT_SEED'] ?? '1';
  const first = chosen === 'random' ? randomInt(1, 1_000_000) : Number(chosen);
  const runs = Number(process.env['TRIMTAB_FAULT_RUNS'] ?? usualRuns);
  return Array.from({ length: runs }, (_, index) => first + index);
}

/** Returns the seeds of one of several workers. */
export function shareOf(seeds: readonly number[], part: number, of: number): number[] {
  return seeds.filter((_, index) => index % of === part);
}

/** Runs the seeds in sequence and yields the report of each. */
export async function* runSeeds(
  seeds: readonly number[],
  options: RunOptions = {},
): AsyncGenerator<RunReport> {
  for (let from = 0; from < seeds.length; from += runsPerCluster) {
    await using cluster = await DrivenCluster.start();
    for (const seed of seeds.slice(from, from + runsPerCluster))
      yield await randomRun(cluster, seed, options);
  }
}

export function titleOf({ seed, story }: RunReport): string {
  return `seed ${seed}: ${story}`;
}

/** Returns the failure of a run and the command that repeats it. */
export function failureText(report: RunReport): string {
  const { seed, failure } = report;
  return [
    titleOf(report),
    failure,
    `repeat: TRIMTAB_FAULT_SEED=${seed} npm run test:random -- --runs 1`,
  ].join('\n');
}

/** Example: `1000 runs (seeds 1 to 1000): 48211 faults, 1290 kills, 540 freezes; 0 failed` */
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
