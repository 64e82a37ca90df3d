import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '../volumes/container-mounts.ts';

/**
 * Programs at paths that this machine lacks, each with the command line that runs in its place. Containers see them as
 * if they were installed on this machine. Programs can be added at any time.
 */
export type DeclaredPrograms = ReadonlyMap<string, readonly string[]>;

/**
 * Writes a script for each declared program and returns the mounts that show the scripts at the declared paths. A file
 * of this machine and a mount of the container take precedence.
 */
export function programMounts(programs: DeclaredPrograms, folder: string, others: readonly Mount[]): Mount[] {
  return [...programs]
    .filter(([where]) => !existsSync(where) && !others.some((mount) => overlap(mount.path, where)))
    .map(([where, words]) => {
      const source = path.join(folder, where);
      writeScript(source, words);
      return { path: path.posix.resolve('/', where), source, isFolder: false, isReadOnly: true };
    });
}

function overlap(one: string, other: string): boolean {
  const [shorter = '', longer = ''] = [one, other].sort((a, b) => a.length - b.length);
  return longer === shorter || longer.startsWith(shorter === '/' ? '/' : `${shorter}/`);
}

/** A new file replaces the old one, because a running shell may still be reading it. */
function writeScript(file: string, words: readonly string[]): void {
  const text = `#!/bin/sh\nexec ${words.map(quoted).join(' ')} "$@"\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, text, { mode: 0o755 });
  renameSync(`${file}.new`, file);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
