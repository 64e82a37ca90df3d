import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FileToWrite {
  folder: string;
  name: string;
  text: string;
  mode: number;
}

/**
 * Writes a file so that other processes see the old file or the whole new one, also when this process is killed. A draft
 * that a killed process has left is replaced.
 */
export function writeAtomically({ folder, name, text, mode }: FileToWrite, onStep?: (step: string) => void) {
  const draft = join(folder, `.${name}.draft`);
  mkdirSync(folder, { recursive: true });
  rmSync(draft, { force: true });
  onStep?.(`create ${name}`);
  // Never follows a symbolic link, and is never readable by others before its mode is set.
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
  onStep?.(`publish ${name}`);
  chmodSync(draft, mode);
  renameSync(draft, join(folder, name));
  onStep?.(`published ${name}`);
}

/** Returns undefined when the file is missing or cannot be read; the next write then reports the problem. */
export function readIfPossible(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}
