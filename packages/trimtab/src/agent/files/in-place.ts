import {
  chmodSync,
  closeSync,
  constants,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { unlessMissing } from './file-errors.ts';
import { allowReading } from './folder-mode.ts';

/**
 * Makes `to` equal to `from`, a file or a folder of a set, and keeps the inodes of files and folders that exist. A
 * container that mounts a file by `subPath` sees the inode that the name had when the container started, so a file in
 * another folder would not be visible there. Readers may see a file that is partly written. Returns whether anything
 * was different.
 */
export function copyInPlace(from: string, to: string): boolean {
  const source = statSync(from, { throwIfNoEntry: false });
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (source === undefined) {
    rmSync(to, { recursive: true, force: true });
    return there !== undefined;
  }
  if (!source.isDirectory()) return rewrite(from, to, source.mode & 0o777);
  if (there !== undefined && !there.isDirectory()) rmSync(to);
  if (there === undefined || !there.isDirectory()) mkdirSync(to);
  allowReading(to);
  const names = new Set([...readdirSync(from), ...readdirSync(to)]);
  return [...names].map((name) => copyInPlace(join(from, name), join(to, name))).includes(true);
}

function rewrite(from: string, to: string, mode: number): boolean {
  const content = readFileSync(from);
  const before = regularFile(to);
  if (before?.equals(content)) return false;
  if (before === undefined) rmSync(to, { recursive: true, force: true });
  else chmodSync(to, mode | 0o200);
  // A link in the place of the file could lead out of the volume, so it is not followed.
  const file = openSync(to, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, mode | 0o200);
  try {
    for (let written = 0; written < content.length; )
      written += writeSync(file, content, written, content.length - written, written);
    ftruncateSync(file, content.length);
  } finally {
    closeSync(file);
  }
  chmodSync(to, mode);
  return true;
}

/** The content of a regular file; undefined for anything else. */
function regularFile(path: string): Buffer | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path) : undefined;
  } catch (error) {
    return unlessMissing(error);
  }
}
