import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { bedEnvironment } from './bed-environment.ts';
import { bringUp, type RunningBed } from './bring-up.ts';
import { enterNetwork } from './node/namespaces.ts';
import { missingForLevel2 } from './prerequisites.ts';
import { identify } from './process/identity.ts';
import { removeAbandonedBeds } from './remove-abandoned-beds.ts';
import type { Level } from './state/bed-state.ts';
import { takeDown } from './take-down.ts';
import { BedError } from './terminal/bed-error.ts';
import { type Progress, terminalProgress } from './terminal/progress.ts';
import { countTests, exitCode, type LevelResult, summary } from './test-summary.ts';

const repository = join(import.meta.dirname, '..', '..');
const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');

/** The tests, while they run. */
let running: ChildProcess | undefined;

/** Each level gets a bed of its own that belongs to this process, and is gone afterwards whatever happens. */
async function runLevel(
  level: Level,
  vitestArgs: readonly string[],
  progress: Progress,
): Promise<LevelResult> {
  const missing = level === 2 ? missingForLevel2() : undefined;
  if (missing) return { level, cannotRun: missing };
  const name = bedName(level);
  const owner = identify(process.pid);
  try {
    const bed = await bringUp({ name, level, ...(owner ? { owner } : {}) }, progress);
    return { level, ...(await runVitest(bed, vitestArgs)) };
  } catch (error) {
    if (!(error instanceof BedError)) throw error;
    console.error(`test:cluster: ${error.message}`);
    for (const line of error.details) console.error(`  ${line}`);
    return { level, passed: 0, failed: 0, skipped: 0, broken: true };
  } finally {
    await takeDown(name, progress);
    progress.step(`bed '${name}' is down`);
  }
}

async function runVitest({ folder, state }: RunningBed, vitestArgs: readonly string[]) {
  const report = folder.at('vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const [program = '', ...rest] = [
    // Tests of level 2 talk to pods, so they run where pods can be reached.
    ...(state.level === 2 ? enterNetwork(folder) : []),
    ...[process.execPath, vitest, 'run', '--configLoader=native'],
    ...['--project', `level${state.level}`, ...reporters, ...vitestArgs],
  ];
  const child = spawn(program, rest, {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...bedEnvironment(folder, state) },
  });
  running = child;
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  return countTests(report, code);
}

function bedName(level: Level): string {
  return `tests-${process.pid}-${level}`;
}

/** Whoever interrupts us does not want tests that run on, nor their beds. */
function takeDownWhenInterrupted(progress: Progress): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, async () => {
      running?.kill('SIGKILL');
      await Promise.allSettled([takeDown(bedName(1), progress), takeDown(bedName(2), progress)]);
      process.exit(130);
    });
}

async function main(argv: readonly string[]): Promise<number> {
  const progress = terminalProgress();
  takeDownWhenInterrupted(progress);
  await removeAbandonedBeds(progress);
  const only = /^--level=?([12])$/.exec(argv[0] === '--level' ? `--level${argv[1]}` : (argv[0] ?? ''))?.[1];
  const vitestArgs = only === undefined ? argv : argv.slice(argv[0] === '--level' ? 2 : 1);
  const results: LevelResult[] = [];
  for (const level of [1, 2] as const)
    if (only === undefined || only === String(level))
      results.push(await runLevel(level, vitestArgs, progress));
  for (const line of summary(results)) console.log(line);
  return exitCode(results, process.env['CI'] === 'true');
}

process.exitCode = await main(process.argv.slice(2));
