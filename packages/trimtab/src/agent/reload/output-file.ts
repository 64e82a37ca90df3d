import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The end of the output that is kept for the log. */
const maxBytes = 2_048;

export interface OutputFile {
  /** File descriptor for the standard output and standard error of a program. */
  descriptor: number;
  /** Returns the end of the output and releases the file. */
  close(): string;
}

/**
 * A file without a name that takes the output of a program. The runtime would give the program a socket, and programs such
 * as nginx, which open /dev/stderr by its name, fail with one. Undefined when the folder cannot be written.
 */
export function openOutputFile(folder: string): OutputFile | undefined {
  const path = join(folder, `..output-${randomBytes(6).toString('hex')}`);
  try {
    const descriptor = openSync(path, 'ax+', 0o600);
    unlinkSync(path);
    return { descriptor, close: () => endOf(descriptor) };
  } catch {
    return undefined;
  }
}

function endOf(descriptor: number): string {
  try {
    const { size } = fstatSync(descriptor);
    const start = Math.max(0, size - maxBytes);
    const buffer = Buffer.alloc(size - start);
    readSync(descriptor, buffer, 0, buffer.length, start);
    return buffer.toString('utf8').trim();
  } finally {
    closeSync(descriptor);
  }
}
