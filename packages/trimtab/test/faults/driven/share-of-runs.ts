import { afterAll, describe, expect, test } from 'vitest';
import type { RunReport } from './random-run.ts';
import { chosenSeeds, failureText, runSeeds, shareOf, summaryOf } from './run-seeds.ts';

/** Number of runs in `npm test`; CI runs 200 and `npm run test:long` 1,000. */
const usualRuns = 4;
const runsPerTest = 2;

/** Registers one share of the runs. There are two test files, so the runs use both cores. */
export function shareOfRuns(part: number, of: number): void {
  const seeds = shareOf(chosenSeeds(usualRuns), part, of);
  const reports: RunReport[] = [];
  const runs = runSeeds(seeds);

  afterAll(() => {
    if (reports.length > 0) console.log(`random faults, share ${part + 1} of ${of}: ${summaryOf(reports)}`);
    return runs.return(undefined);
  });

  describe('whatever happens to the controller, configs end as people meant them', () => {
    for (let from = 0; from < seeds.length; from += runsPerTest) {
      const some = seeds.slice(from, from + runsPerTest);
      test(`seeds ${some.join(', ')}`, { timeout: 300_000 }, async () => {
        const failures: string[] = [];
        for (const _ of some) {
          const { value } = await runs.next();
          if (value === undefined) throw new Error('there are fewer runs than seeds');
          reports.push(value);
          if (value.failure !== undefined) failures.push(failureText(value));
        }
        expect(failures.join('\n\n')).toBe('');
        const faults = reports.slice(-some.length).map((each) => each.faults);
        expect(Math.min(...faults), 'a run without a fault shows nothing').toBeGreaterThan(0);
      });
    }
  });
}
