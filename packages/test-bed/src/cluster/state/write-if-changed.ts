import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Leaves a file alone that says the same already: kube-proxy watches its configuration and ends when it is written,
 * changed or not. Whoever reads it meets the old content or the new, never half of it.
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
