import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { BedError } from '../terminal/bed-error.ts';

/** The Go command: from the PATH, or from where its own installer puts it, which many PATHs lack. */
export function findGo(env: NodeJS.ProcessEnv = process.env): string {
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin', '/usr/lib/go/bin'];
  const found = folders.map((folder) => join(folder, 'go')).find(isExecutable);
  if (found) return found;
  throw new BedError('Go is missing, and the binaries of Kubernetes are not in the cache yet', [
    'Install Go 1.26 or newer (https://go.dev/doc/install) and run this again.',
    'Without it `npm test` still works: it needs no cluster.',
  ]);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
