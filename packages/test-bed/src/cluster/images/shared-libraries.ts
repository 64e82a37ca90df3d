import { spawnSync } from 'node:child_process';
import { findProgram } from '../prerequisites.ts';
import { BedError } from '../terminal/bed-error.ts';

/**
 * The libraries that programs are linked to, directly or through other libraries, at the paths that the dynamic loader
 * searches. A static program has none.
 */
export function sharedLibraries(programs: readonly string[]): string[] {
  if (programs.length === 0) return [];
  // ldd exits with 1 when a program is static; its output lists the libraries of the others all the same.
  const { stdout, error } = spawnSync(findProgram('ldd') ?? 'ldd', programs, { encoding: 'utf8' });
  if (error) throw new BedError('cannot run ldd, which finds the libraries of a program', [error.message]);
  const missing = /(\S+) => not found/.exec(stdout)?.[1];
  if (missing !== undefined)
    throw new BedError(`a library of ${programs.join(', ')} is not installed: ${missing}`);
  return [...new Set([...stdout.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] ?? ''))].sort();
}
