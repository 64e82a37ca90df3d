import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { findProgram } from '../prerequisites.ts';
import { cacheFolder } from '../state/cache-folder.ts';
import { BedError } from '../terminal/bed-error.ts';
import { parents } from './folder-entries.ts';
import { atSamePath, text } from './host-entries.ts';
import { cachedLayer, type Layer } from './layer.ts';
import { isElf, packageEntries, packageVersions, unneeded } from './package-files.ts';
import type { ProgramImage } from './program-images.ts';
import { sharedLibraries } from './shared-libraries.ts';
import type { TarEntry } from './tar.ts';

/**
 * Packages that every Debian image has. The C library loads libgcc_s when a thread ends, and a program that is copied
 * into the container needs the parts of the C library that the program of the image does not use.
 */
const runtime = ['libc6', 'libgcc-s1'];

/** The files of a program, for an image on top of busybox. A new version of a package results in a new layer. */
export async function programLayer(image: ProgramImage): Promise<Layer> {
  requireProgram(image);
  const key = createHash('sha256')
    .update(JSON.stringify({ ...image, without: image.without?.source, unneeded: unneeded.source }))
    .update(packageVersions([...image.contents, ...runtime]))
    .digest('hex');
  const file = join(cacheFolder(), 'layers', `${image.package}-${key.slice(0, 12)}.tar`);
  return cachedLayer(file, () => programEntries(image));
}

/** Throws with the command that installs the program when it is missing. */
export function requireProgram(
  { name, program, package: missing }: ProgramImage,
  find: typeof findProgram = findProgram,
): void {
  if (find(program) !== undefined) return;
  throw new BedError(
    `image ${name} needs the Debian package ${missing}, which is not installed. ` +
      `Install: apt-get update && apt-get install -y --no-install-recommends ${missing}`,
  );
}

function programEntries({ contents, without, ...image }: ProgramImage): TarEntry[] {
  const files = packageEntries([...contents, ...runtime], without);
  const programs = files.flatMap((entry) => ('file' in entry && isElf(entry.file) ? [entry.file] : []));
  return oncePerPath([
    ...files,
    ...atSamePath(sharedLibraries(programs)),
    ...accountEntries(image.accounts ?? {}),
    ...Object.entries(image.texts ?? {}).flatMap(([path, content]) =>
      inFolder(path, (at) => text(at, content)),
    ),
    ...Object.entries(image.links ?? {}).flatMap(([path, target]) =>
      inFolder(path, (at): TarEntry => ({ type: 'symlink', path: at, target })),
    ),
    ...(image.writable ?? []).flatMap((path) =>
      inFolder(path, (at): TarEntry => ({ type: 'directory', path: at, mode: 0o1777 })),
    ),
  ]);
}

/** The last entry of each path, in the order of the first one: parents stay before children. */
function oncePerPath(entries: readonly TarEntry[]): TarEntry[] {
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()];
}

/** An entry at an absolute path, after its parent folders. */
function inFolder(path: string, make: (at: string) => TarEntry): TarEntry[] {
  return [...parents(path.slice(1, path.lastIndexOf('/'))), make(path.slice(1))];
}

function accountEntries(accounts: Readonly<Record<string, number>>): TarEntry[] {
  const all = Object.entries({ root: 0, ...accounts, nobody: 65534 });
  const users = all.map(([name, id]) => `${name}:x:${id}:${id}::/:/bin/sh\n`);
  const groups = all.map(([name, id]) => `${name === 'nobody' ? 'nogroup' : name}:x:${id}:\n`);
  return [text('etc/passwd', users.join('')), text('etc/group', groups.join(''))];
}
