import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gitCommit } from '../../bench/git-commit.ts';
import type { Release } from './build-platform-image.ts';
import { root } from './package-lock.ts';

/** The version, commit and time that images carry. Equal commits have equal ones, so that they result in equal bytes. */
export async function releaseOf(version = productVersion(), env = process.env): Promise<Release> {
  return { version, revision: await gitCommit(), created: timeOf(env['SOURCE_DATE_EPOCH']) };
}

function productVersion(): string {
  const file = path.join(root, 'packages/trimtab/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** The time of the commit, unless the environment sets another one; 1970 without git. */
function timeOf(epoch: string | undefined): string {
  const seconds = epoch ?? commitTime();
  if (!/^\d{1,11}$/.test(seconds))
    throw new Error(`SOURCE_DATE_EPOCH must be a number of seconds since 1970, not '${seconds}'`);
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z');
}

function commitTime(): string {
  try {
    return execFileSync('git', ['log', '-1', '--format=%ct'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '0';
  }
}
