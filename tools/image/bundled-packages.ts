import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type LockedPackage, lockedPackage, root } from './package-lock.ts';

interface Metafile {
  /** By path, relative to Bun's working directory. */
  inputs: Record<string, unknown>;
}

/** The packages of npm of which a compiled program contains files, from Bun's list of its sources. */
export function bundledPackages(metafile: string, cwd: string): LockedPackage[] {
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8')) as Metafile;
  const files = Object.keys(inputs).map((file) => path.relative(root, path.resolve(cwd, file)));
  const places = files.flatMap((file) => packagePath(file) ?? []);
  return [...new Set(places)].sort().map(lockedPackage);
}

/** The path of the innermost package that has this file; undefined for a file of this repository. */
export function packagePath(file: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}
