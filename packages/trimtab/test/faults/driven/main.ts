import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { toolArguments, wholeNumber } from '@trimtab/test-bed/tool-arguments.ts';
import type { RunReport } from './random-run.ts';
import { chosenSeeds, failureText, shareOf, summaryOf, titleOf } from './run-seeds.ts';

const help = `Usage: npm run test:random [-- flags]

Random fault runs on a driven clock, in one process for each core. A run that fails is repeated once, alone, at the end.

  --runs N    number of runs; defaults to 1000
  -h, --help  print this text

The seeds are the same each time. TRIMTAB_FAULT_SEED=random uses random seeds.

Examples
  # Repeat one run
  TRIMTAB_FAULT_SEED=123 npm run test:random -- --runs 1
`;

/** With more failed runs than this, the failures are not flakes and repeating them is pointless. */
const mostRepeated = 10;

const { values } = toolArguments({ help, options: { runs: { type: 'string' } } });
const seeds = chosenSeeds(wholeNumber(help, '--runs', values.runs) ?? 1000);
const workers = Math.min(availableParallelism(), seeds.length);
const began = performance.now();
const reports = new Map<number, RunReport>();
let broken = 0;

await Promise.all(Array.from({ length: workers }, (_, part) => runSome(shareOf(seeds, part, workers))));
const failedFirst = failedSeeds();
if (failedFirst.length > 0 && failedFirst.length <= mostRepeated) {
  process.stdout.write(`repeating ${failedFirst.length} failed runs, one at a time\n`);
  for (const seed of failedFirst) await runSome([seed]);
  const flaky = failedFirst.flatMap((seed) => reports.get(seed) ?? []).filter(({ failure }) => !failure);
  for (const report of flaky) process.stdout.write(` FLAKY  ${titleOf(report)}\n`);
}
const all = [...reports.values()];
const seconds = ((performance.now() - began) / 1000).toFixed(0);
const coreMs = Math.round(all.reduce((sum, each) => sum + each.coreMs, 0) / all.length);
process.stdout.write(`random faults: ${summaryOf(all)}; ${seconds} s, ${coreMs} core-ms a run\n`);
const failed = failedSeeds().length + broken;
process.stdout.write(`${all.length + broken - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function failedSeeds(): number[] {
  return [...reports.values()].filter(({ failure }) => failure !== undefined).map(({ seed }) => seed);
}

/** Runs a share of the seeds in a child process. A child that crashes counts as one failure for its missing runs. */
function runSome(share: readonly number[]): Promise<void> {
  const child = fork(new URL('./worker.ts', import.meta.url), share.map(String));
  child.on('message', (message) => {
    const report = message as RunReport;
    reports.set(report.seed, report);
    // Progress output, because a silent log looks like a hang.
    if (reports.size % 100 === 0) process.stdout.write(`${reports.size} of ${seeds.length} runs\n`);
    if (report.failure !== undefined) process.stdout.write(`\n FAIL  ${failureText(report)}\n`);
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      if (code !== 0) broken += 1;
      resolve();
    });
  });
}
