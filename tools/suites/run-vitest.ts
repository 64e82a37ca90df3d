import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { unhandledErrorsVariable } from './unhandled-errors-reporter.ts';
import {
  filesToRepeat,
  flakyNames,
  hasFailedOutsideOfTests,
  type VitestReport,
  withSecondResults,
} from './vitest-report.ts';

export interface VitestRun {
  /** Folder of vitest.config.ts and the test files; optional, defaults to this repository. */
  root?: string;
  /** Projects of vitest.config.ts. */
  projects: readonly string[];
  /** File filters and flags for vitest. */
  args: readonly string[];
  /** Whether a user selected a part of the tests; optional, defaults to true when there are arguments. */
  narrowed?: boolean;
  /** The command that starts vitest; used to enter a network namespace. */
  startedBy?: readonly string[];
  /** Added to the environment of this process. */
  env?: Readonly<Record<string, string>>;
  /** A folder for the reports. */
  folder: string;
  /** Kills the tests. */
  signal?: AbortSignal;
  /** Whether the output of vitest is discarded. */
  quiet?: boolean;
}

export interface VitestOutcome {
  passed: number;
  failed: number;
  skipped: number;
  /** A failure outside of a test: a file that cannot be loaded, or an unhandled error. */
  broken: boolean;
  /** Names of the tests and files that failed, and passed when the file was run again alone. */
  flaky: string[];
  /** The path of vitest's JSON report. */
  report: string;
}

const repository = join(import.meta.dirname, '..', '..');
const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');
const reporter = join(import.meta.dirname, 'unhandled-errors-reporter.ts');

/**
 * Runs vitest, and then each failed test file once more, one at a time. A test with a defect fails twice. A run that a
 * user restricted to a part of the tests is not repeated.
 */
export async function runVitest(run: VitestRun): Promise<VitestOutcome> {
  return repeatFailures(run, await runAll(run));
}

/** The first half of `runVitest`, for parallel runs: their failures are repeated after all runs have finished. */
export function runAll(run: VitestRun): Promise<SingleRun> {
  return runOnce(run, run.args, join(run.folder, 'vitest.json'));
}

/** The second half: runs the failed files again, one at a time. */
export async function repeatFailures(run: VitestRun, first: SingleRun): Promise<VitestOutcome> {
  const { root = repository, narrowed = run.args.length > 0 } = run;
  const report = join(run.folder, 'vitest.json');
  const isOver = narrowed || run.signal?.aborted;
  const files = first.report === undefined || isOver ? [] : filesToRepeat(first.report);
  if (first.report === undefined || files.length === 0) return outcome(first, [], report);
  const names = files.map((file) => below(root, file));
  console.log(`Running ${files.length} failed test files again, one at a time:\n  ${names.join('\n  ')}`);
  const args = ['--no-file-parallelism', ...files];
  const second = await runOnce(run, args, join(run.folder, 'vitest-again.json'));
  if (second.report === undefined) return outcome(first, [], report);
  const merged = withSecondResults(first.report, second.report);
  writeFileSync(report, JSON.stringify(merged));
  const flaky = flakyNames(first.report, second.report).map((name) => below(root, name));
  for (const name of flaky) console.log(` FLAKY  ${name}`);
  const unhandled = [...first.unhandled, ...second.unhandled];
  return outcome({ ...second, report: merged, unhandled }, flaky, report);
}

export interface SingleRun {
  code: number | null;
  /** Undefined when vitest exited before it wrote a report. */
  report: VitestReport | undefined;
  /** Errors outside of any test. */
  unhandled: string[];
}

async function runOnce(run: VitestRun, args: readonly string[], report: string): Promise<SingleRun> {
  const unhandled = `${report}.unhandled`;
  for (const file of [report, unhandled]) rmSync(file, { force: true });
  const [program = '', ...rest] = [
    ...(run.startedBy ?? []),
    ...[process.execPath, vitest, 'run', '--configLoader=native'],
    ...run.projects.flatMap((project) => ['--project', project]),
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`, `--reporter=${reporter}`],
    ...args,
  ];
  const child = spawn(program, rest, {
    cwd: run.root ?? repository,
    stdio: run.quiet ? 'ignore' : ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      // Tests start hundreds of programs; compiling their sources once saves half of the start of each.
      ...(!args.includes('--coverage') && { NODE_COMPILE_CACHE: join(run.folder, 'compile-cache') }),
      ...run.env,
      [unhandledErrorsVariable]: unhandled,
    },
  });
  const kill = () => child.kill('SIGKILL');
  run.signal?.addEventListener('abort', kill);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  }).finally(() => run.signal?.removeEventListener('abort', kill));
  return {
    code,
    report: read(report),
    unhandled: read(unhandled) ?? ['vitest wrote no record of errors outside of tests'],
  };
}

function outcome(
  { code, report: found, unhandled }: SingleRun,
  flaky: string[],
  report: string,
): VitestOutcome {
  if (found === undefined) return { passed: 0, failed: 0, skipped: 0, broken: true, flaky, report };
  const { numPassedTests: passed, numFailedTests: failed } = found;
  const broken = unhandled.length > 0 || hasFailedOutsideOfTests(found) || (failed === 0 && code !== 0);
  return { passed, failed, skipped: found.numPendingTests + found.numTodoTests, broken, flaky, report };
}

function below(root: string, name: string): string {
  return name.replace(`${root}${sep}`, '');
}

function read<T>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}
