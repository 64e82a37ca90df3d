import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TarEntry } from '@trimtab/test-bed/cluster/images/tar.ts';

/** Writes the files of an image into a folder, in place of what it contained. */
export function writeRootfs(folder: string, entries: readonly TarEntry[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const entry of entries) {
    const at = path.join(folder, entry.path);
    if (entry.type === 'directory') {
      mkdirSync(at, { recursive: true });
      // The user of the container needs the mode of the image, whatever the umask of the build is.
      chmodSync(at, entry.mode);
    } else if (entry.type === 'symlink') symlinkSync(entry.target, at);
    else {
      if ('content' in entry) writeFileSync(at, entry.content);
      else copyFileSync(entry.file, at);
      chmodSync(at, entry.mode);
    }
  }
}
