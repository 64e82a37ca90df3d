import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '@trimtab/test-bed/cluster/state/cache-folder.ts';
import type { DebianPackage } from './debian-lock.ts';

export interface FetchOptions {
  /** URLs of mirrors. Defaults to those of this machine's apt sources. */
  mirrors?: readonly string[];
  cache?: string;
}

/** The folder with the files of a package, and its control file as `DEBIAN/control`. Downloaded and verified once. */
export async function fetchDebianPackage(
  wanted: DebianPackage,
  { mirrors, cache = path.join(cacheFolder(), 'debian') }: FetchOptions = {},
): Promise<string> {
  const folder = path.join(cache, `${wanted.name}-${wanted.sha256}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(path.join(cache, '.fetch-'));
  try {
    const archive = path.join(work, 'package.deb');
    writeFileSync(archive, await download(wanted, mirrors ?? aptMirrors()));
    const files = path.join(work, 'files');
    extract('--extract', archive, files);
    extract('--control', archive, path.join(files, 'DEBIAN'));
    // Another process may have completed the same folder meanwhile.
    if (!existsSync(folder)) renameSync(files, folder);
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(wanted: DebianPackage, mirrors: readonly string[]): Promise<Buffer> {
  const title = `Debian package ${wanted.name} ${wanted.version} (${wanted.architecture})`;
  if (mirrors.length === 0)
    throw new Error(`cannot download ${title}: this machine has no apt sources. Pass --debian-mirror URL.`);
  const problems: string[] = [];
  for (const mirror of mirrors) {
    const url = `${mirror.replace(/\/$/, '')}/${wanted.filename}`;
    try {
      const response = await fetch(url);
      if (!response.ok) {
        problems.push(`${url}: ${response.status} ${response.statusText}`);
        continue;
      }
      const content = Buffer.from(await response.arrayBuffer());
      if (createHash('sha256').update(content).digest('hex') === wanted.sha256) return content;
      problems.push(`${url}: the checksum differs from debian-lock.json`);
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      problems.push(`${url}: ${cause instanceof Error ? cause.message : cause}`);
    }
  }
  throw new Error(
    [
      `cannot download ${title}:`,
      ...problems.map((problem) => `  ${problem}`),
      'Mirrors drop old versions. `npm run image -- --update-packages` pins the current ones; commit debian-lock.json then.',
    ].join('\n'),
  );
}

/** The URLs of the repositories in this machine's apt sources; none on a machine without apt. */
function aptMirrors(): string[] {
  // Without the information of release files, which a machine lacks before its first `apt-get update`.
  const args = ['indextargets', '--no-release-info', '--format', '$(REPO_URI)', 'Identifier: Packages'];
  const { stdout } = spawnSync('apt-get', args, { encoding: 'utf8' });
  const urls = (stdout ?? '').split('\n').filter((line) => /^https?:/.test(line));
  // The mirrors of Debian first: the others do not have its packages.
  return [...new Set(urls)].sort((a, b) => Number(b.includes('debian')) - Number(a.includes('debian')));
}

function extract(what: string, archive: string, folder: string): void {
  const { status, stderr, error } = spawnSync('dpkg-deb', [what, archive, folder], { encoding: 'utf8' });
  if (error) throw new Error(`cannot run dpkg-deb, which extracts Debian packages: ${error.message}`);
  if (status !== 0) throw new Error(`dpkg-deb ${what} failed: ${stderr}`);
}
