import { execFile, spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../state/lock.ts';
import { BedError } from '../terminal/bed-error.ts';
import type { Progress } from '../terminal/progress.ts';
import { type BuildSet, isBuilt } from './binaries.ts';

/** Builds the binaries unless they are cached. A concurrent second build waits for the first. */
export async function ensureBinaries(set: BuildSet, progress: Progress): Promise<void> {
  if (isBuilt(set)) return;
  await withLock(
    `${set.folder}.lock`,
    async () => {
      if (!isBuilt(set)) await build(set, progress);
    },
    (pid) => progress.step(`waiting for process ${pid}, which is building the binaries`),
  );
}

async function build(set: BuildSet, progress: Progress): Promise<void> {
  const go = findGo();
  progress.step(`building ${set.title}`);
  const draft = `${set.folder}.building`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  await goBuild(go, set, draft, progress);
  for (const { built, wanted } of set.programs) {
    if (built !== wanted) renameSync(join(draft, built), join(draft, wanted));
  }
  for (const { module, from, to } of set.copies ?? []) {
    const source = join(await moduleFolder(go, set, module), from);
    const target = join(draft, to);
    mkdirSync(target, { recursive: true });
    for (const file of readdirSync(source)) copyFileSync(join(source, file), join(target, file));
  }
  renameSync(draft, set.folder);
  progress.step(`binaries built in ${set.folder}`);
}

/** Finds the Go command on the PATH or in the folders of its installer, which are often not on the PATH. */
function findGo(env: NodeJS.ProcessEnv = process.env): string {
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin', '/usr/lib/go/bin'];
  const found = folders.map((folder) => join(folder, 'go')).find(isExecutable);
  if (found) return found;
  throw new BedError('Go is not installed, and the Kubernetes binaries are not cached yet', [
    'Install Go 1.26 or newer (https://go.dev/doc/install) and run this command again.',
    '`npm test` does not need Go or a cluster.',
  ]);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder of a module (`PATH@VERSION`) in the module cache of Go, which downloads it if necessary. */
async function moduleFolder(go: string, { module: cwd }: BuildSet, module: string): Promise<string> {
  const { stdout } = await promisify(execFile)(go, ['mod', 'download', '-json', module], {
    cwd,
    env: { ...process.env, GOWORK: 'off' },
  });
  const { Dir: folder } = JSON.parse(stdout) as { Dir: string };
  return folder;
}

function goBuild(go: string, set: BuildSet, output: string, progress: Progress): Promise<void> {
  const child = spawn(go, [...set.command, '-o', `${output}/`, ...set.packages], {
    cwd: set.module,
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const recent: string[] = [];
  let compiled = 0;
  const done = new Set<string>();
  const report = setInterval(() => {
    const now = new Set(existsSync(output) ? readdirSync(output) : []);
    const names = set.programs.filter(({ built }) => now.has(built) && !done.has(built));
    for (const { built, wanted } of names) {
      progress.step(`built ${wanted}`);
      done.add(built);
    }
    const last = recent.at(-1) ?? 'downloading and compiling';
    progress.doing(`${done.size} of ${set.programs.length} programs, ${compiled} packages: ${last}`);
  }, 1000);
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    compiled += lines.filter((line) => /^[\w.-]+(\/[\w.@!~+-]+)*$/.test(line)).length;
    recent.push(...lines);
    recent.splice(0, recent.length - 30);
  });
  return new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new BedError(`go ${set.command[0]} exited with code ${code}`, recent));
    });
  }).finally(() => clearInterval(report));
}
