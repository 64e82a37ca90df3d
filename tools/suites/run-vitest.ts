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
  /** Where vitest.config.ts and the test files are; this repository by default. */
  root?: string;
  /** Projects of vitest.config.ts. */
  projects: readonly string[];
  /** File filters and flags for vitest. */
  args: readonly string[];
  /** Whether the arguments are somebody's, who looks at a part of the tests: true by default when there are any. */
  narrowed?: boolean;
  /** The program that starts vitest, with its arguments: what enters a network namespace, say. */
  startedBy?: readonly string[];
  /** Added to the environment of this process. */
  env?: Readonly<Record<string, string>>;
  /** A folder for the reports. */
  folder: string;
  /** Kills the tests. */
  signal?: AbortSignal;
  /** Whether what vitest prints is thrown away. */
  quiet?: boolean;
}

export interface VitestOutcome {
  passed: number;
  failed: number;
  skipped: number;
  /** Something failed that is not a test: a file that cannot be loaded, an error outside of any test. */
  broken: boolean;
  /** What failed, and passed when its file was run again alone. */
  flaky: string[];
  /** The path of vitest's JSON report. */
  report: string;
}

const repository = join(import.meta.dirname, '..', '..');
const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');
const reporter = join(import.meta.dirname, 'unhandled-errors-reporter.ts');

/**
 * Runs vitest, and at the end each test file that failed once more, with nothing beside it: a defect fails twice. A run
 * that somebody narrowed by hand is not repeated.
 */
export async function runVitest(run: VitestRun): Promise<VitestOutcome> {
  return repeatFailures(run, await runAll(run));
}

/** The first half of `runVitest`, for runs side by side: their failures are repeated when all of them are over. */
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
  /** Undefined when vitest ended before it could write one. */
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
    env: { ...process.env, ...run.env, [unhandledErrorsVariable]: unhandled },
  });
  const kill = () => child.kill('SIGKILL');
  run.signal?.addEventListener('abort', kill);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  }).finally(() => run.signal?.removeEventListener('abort', kill));
  return {
    code,
    report: read(report),
    unhandled: read(unhandled) ?? ['vitest left no record of errors outside of tests'],
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
