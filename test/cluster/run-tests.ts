import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runConformance } from '../conformance/run.ts';
import { lists } from '../conformance/specs.ts';
import { conformanceCounts, reportLines } from '../conformance/table.ts';
import { contractLines } from '../contract/api/after-run.ts';
import { localLines } from '../local/after-run.ts';
import { bedEnvironment } from './bed-environment.ts';
import { bringUp, type RunningBed } from './bring-up.ts';
import { enterNetwork } from './node/namespaces.ts';
import { missingForLevel2 } from './prerequisites.ts';
import { identify } from './process/identity.ts';
import { removeAbandonedBeds } from './remove-abandoned-beds.ts';
import { type BedSuite, type ConformanceSuite, chooseSuites, type Suite } from './suites.ts';
import { takeDown } from './take-down.ts';
import { BedError } from './terminal/bed-error.ts';
import { type Progress, terminalProgress } from './terminal/progress.ts';
import { countTests, exitCode, type SuiteResult, summary } from './test-summary.ts';

const repository = join(import.meta.dirname, '..', '..');
const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');

/** Ends the tests that run now. */
let endTests = () => {};

async function runSuite(
  suite: Suite,
  vitestArgs: readonly string[],
  progress: Progress,
): Promise<SuiteResult> {
  try {
    return await ('conformance' in suite
      ? runConformanceSuite(suite, progress)
      : runOnBed(suite, vitestArgs, progress));
  } catch (error) {
    if (!(error instanceof BedError)) throw error;
    console.error(`test:cluster: ${error.message}`);
    for (const line of error.details) console.error(`  ${line}`);
    return { suite: suite.name, passed: 0, failed: 0, skipped: 0, broken: true };
  }
}

async function runConformanceSuite({ name }: ConformanceSuite, progress: Progress): Promise<SuiteResult> {
  const stop = new AbortController();
  endTests = () => stop.abort();
  const run = await runConformance(lists, progress, stop.signal);
  for (const line of reportLines(run)) console.log(line);
  return { suite: name, ...conformanceCounts(run) };
}

/** Each suite gets a bed of its own that belongs to this process, and is gone afterwards whatever happens. */
async function runOnBed(
  suite: BedSuite,
  vitestArgs: readonly string[],
  progress: Progress,
): Promise<SuiteResult> {
  const { level } = suite;
  const missing = level === 2 ? missingForLevel2() : undefined;
  if (missing) return { suite: suite.name, cannotRun: missing };
  const name = bedName(suite);
  const owner = identify(process.pid);
  try {
    const bed = await bringUp({ name, level, ...(owner ? { owner } : {}) }, progress);
    return { suite: suite.name, ...(await runVitest(bed, suite, vitestArgs)) };
  } finally {
    await takeDown(name, progress);
    progress.step(`bed '${name}' is down`);
  }
}

async function runVitest(
  { folder, state }: RunningBed,
  { project, files = [] }: BedSuite,
  vitestArgs: readonly string[],
) {
  const report = folder.at('vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const [program = '', ...rest] = [
    // Tests of level 2 talk to pods, so they run where pods can be reached.
    ...(state.level === 2 ? enterNetwork(folder) : []),
    ...[process.execPath, vitest, 'run', '--configLoader=native'],
    ...['--project', project, ...reporters, ...files, ...vitestArgs],
  ];
  const child = spawn(program, rest, {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...bedEnvironment(folder, state) },
  });
  endTests = () => child.kill('SIGKILL');
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  for (const line of [...contractLines(report, `cluster-${project}.json`), ...localLines(report)])
    console.log(line);
  return countTests(report, code);
}

function bedName({ project }: BedSuite): string {
  return `tests-${process.pid}-${project}`;
}

/** Whoever interrupts us does not want tests that run on, nor their beds. */
function takeDownWhenInterrupted(suites: readonly Suite[], progress: Progress): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, async () => {
      endTests();
      const beds = suites.filter((suite) => 'project' in suite);
      await Promise.allSettled(beds.map((suite) => takeDown(bedName(suite), progress)));
      process.exit(130);
    });
}

async function main(argv: readonly string[]): Promise<number> {
  const progress = terminalProgress();
  const { chosen, vitestArgs } = chooseSuites(argv);
  takeDownWhenInterrupted(chosen, progress);
  await removeAbandonedBeds(progress);
  const results: SuiteResult[] = [];
  for (const suite of chosen) results.push(await runSuite(suite, vitestArgs, progress));
  for (const line of summary(results)) console.log(line);
  return exitCode(results, process.env['CI'] === 'true');
}

process.exitCode = await main(process.argv.slice(2));
