import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { RunReport } from '../support/faults/driven/random-run.ts';
import { chosenSeeds, failureText, shareOf, summaryOf } from './run-seeds.ts';

/** `npm run test:random`: all random fault runs, as CI does them, in a process for each core. */
const seeds = chosenSeeds(1000);
const workers = Math.min(availableParallelism(), seeds.length);
const began = performance.now();
const reports: RunReport[] = [];
let broken = 0;

await Promise.all(Array.from({ length: workers }, (_, part) => runShare(shareOf(seeds, part, workers))));
const seconds = ((performance.now() - began) / 1000).toFixed(0);
const coreMs = Math.round(reports.reduce((sum, each) => sum + each.coreMs, 0) / reports.length);
process.stdout.write(`random faults: ${summaryOf(reports)}; ${seconds} s, ${coreMs} core-ms a run\n`);
const failed = reports.filter(({ failure }) => failure !== undefined).length + broken;
process.stdout.write(`${reports.length + broken - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** What a worker that broke down has not told of counts as one failure. */
function runShare(share: readonly number[]): Promise<void> {
  const child = fork(new URL('./worker.ts', import.meta.url), share.map(String));
  child.on('message', (message) => {
    const report = message as RunReport;
    reports.push(report);
    // A log that says nothing for minutes looks like one that hangs.
    if (reports.length % 100 === 0) process.stdout.write(`${reports.length} of ${seeds.length} runs\n`);
    if (report.failure !== undefined) process.stdout.write(`\n FAIL  ${failureText(report)}\n`);
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      if (code !== 0) broken += 1;
      resolve();
    });
  });
}
