import { realpathSync, statSync } from 'node:fs';
import { parents } from './folder-entries.ts';
import type { TarEntry } from './tar.ts';

/** A program or library of this machine. */
export function fromHost(file: string, path: string): TarEntry {
  const real = realpathSync(file);
  return { type: 'file', path, mode: 0o755, file: real, size: statSync(real).size };
}

/** Files of this machine at the same paths in the image, with their parent folders. */
export function atSamePath(files: readonly string[]): TarEntry[] {
  return files.flatMap((file) => [
    ...parents(file.slice(1, file.lastIndexOf('/'))),
    fromHost(file, file.slice(1)),
  ]);
}

export function text(path: string, content: string): TarEntry {
  return { type: 'file', path, mode: 0o644, content: Buffer.from(content) };
}
