import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Writes the file only if its content differs: kube-proxy watches its configuration and exits on any write, changed or
 * not. The write is atomic: readers see the old or the new content, never a part of it.
 */
export function writeIfChanged(file: string, content: string, mode = 0o644): void {
  if (readOrNothing(file) === content) return;
  writeFileSync(`${file}.new`, content, { mode });
  renameSync(`${file}.new`, file);
}

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
