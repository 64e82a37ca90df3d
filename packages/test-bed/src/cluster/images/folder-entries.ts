import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { TarEntry } from './tar.ts';

/** The entries of a folder, placed below `at` (for example `/app`) in an image. Parents come before children. */
export function* folderEntries(folder: string, at = '/'): Generator<TarEntry> {
  const base = posix.relative('/', posix.resolve('/', at));
  yield* parents(base);
  yield* below(folder, base);
}

/** All parent folders of a path, and the path itself. */
export function* parents(path: string): Generator<TarEntry> {
  const parts = path.split('/').filter(Boolean);
  for (let depth = 1; depth <= parts.length; depth++)
    yield { type: 'directory', path: parts.slice(0, depth).join('/'), mode: 0o755 };
}

function* below(folder: string, base: string): Generator<TarEntry> {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const file = join(folder, entry.name);
    const path = base === '' ? entry.name : `${base}/${entry.name}`;
    if (entry.isSymbolicLink()) yield { type: 'symlink', path, target: readlinkSync(file) };
    else if (entry.isDirectory()) {
      yield { type: 'directory', path, mode: statSync(file).mode };
      yield* below(file, path);
    } else if (entry.isFile()) {
      const { mode, size } = statSync(file);
      yield { type: 'file', path, mode, file, size };
    } else throw new Error(`cannot add ${file} to an image: it is not a file, folder or symbolic link`);
  }
}
