import { execFileSync } from 'node:child_process';
import { closeSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { findProgram } from '../prerequisites.ts';
import type { TarEntry } from './tar.ts';

/** Documentation, translations, character sets and the files of service managers, which no container needs. */
export const unneeded =
  /^\/(usr\/share\/(apport|bug|doc|doc-base|info|lintian|locale|man|vim)|(usr\/)?lib\/(systemd|[^/]+\/(audit|gconv))|etc\/(cron.*|init.d|logrotate.d|rsyslog.d|ufw))(\/|$)|\/man\//;

/** Debian's links of the merged /usr. Packages list them as folders, and so does the base layer. */
const mergedFolders = /^\/(bin|sbin|lib|lib32|lib64|libx32)$/;

/** One line per package, with its version. Throws when a package is not installed. */
export function packageVersions(packages: readonly string[]): string {
  return execFileSync(tool('dpkg-query'), ['--show', ...packages], { encoding: 'utf8' });
}

/** The folders, links and files of installed packages. Files keep their modes and belong to root. */
export function packageEntries(packages: readonly string[], without?: RegExp): TarEntry[] {
  const listed = execFileSync(tool('dpkg'), ['--listfiles', ...packages], { encoding: 'utf8' });
  const paths = new Set(listed.split('\n').filter((line) => line.startsWith('/') && line !== '/.'));
  return [...paths].filter((path) => !unneeded.test(path) && !without?.test(path)).flatMap(entryOf);
}

/** Whether a file of this machine is a program or a library. */
export function isElf(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(4);
    readSync(descriptor, start, 0, 4, 0);
    return start.toString('latin1') === '\x7fELF';
  } finally {
    closeSync(descriptor);
  }
}

/** Nothing for a file that the administrator removed. */
function entryOf(file: string): TarEntry[] {
  const path = file.slice(1);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isDirectory() || mergedFolders.test(file)) return [{ type: 'directory', path, mode: 0o755 }];
  if (found.isSymbolicLink()) return [{ type: 'symlink', path, target: readlinkSync(file) }];
  return [{ type: 'file', path, mode: found.mode, file, size: found.size }];
}

function tool(name: string): string {
  return findProgram(name) ?? name;
}
