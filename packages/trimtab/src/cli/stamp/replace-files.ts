import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { errorCode, type TextFile } from './text-file.ts';

/**
 * Replaces files by new ones with the same mode and owner. All new files are complete before the first is renamed, so a file
 * that cannot be written leaves the others as they are. Returns the problem.
 */
export function replaceFiles(files: readonly TextFile[]): string | undefined {
  const drafts: { file: TextFile; draft: string }[] = [];
  try {
    for (const file of files) {
      const draft = path.join(path.dirname(file.target), `.stamp-${randomBytes(6).toString('hex')}`);
      drafts.push({ file, draft });
      try {
        writeDraft(draft, file);
      } catch (error) {
        return `${file.name}: cannot be written: ${errorCode(error)}; no file was changed`;
      }
    }
    for (const { file, draft } of drafts) {
      try {
        renameSync(draft, file.target);
      } catch (error) {
        return `${file.name}: cannot be replaced: ${errorCode(error)}; the files before it were changed`;
      }
    }
    return undefined;
  } finally {
    for (const { draft } of drafts) rmSync(draft, { force: true });
  }
}

function writeDraft(draft: string, { text, encoding, owner }: TextFile): void {
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text, encoding);
    if (owner !== undefined) keepOwner(descriptor, owner);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function keepOwner(descriptor: number, { mode, uid, gid }: { mode: number; uid: number; gid: number }): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    // Only root may give a file to another user. Who may replace the file becomes its owner.
  }
  // A change of the owner clears some bits of the mode, so the mode follows.
  fchmodSync(descriptor, mode);
}
