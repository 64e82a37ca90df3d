import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bed } from '../bed.ts';
import { binary } from '../bed.ts';
import { findProgram } from '../prerequisites.ts';
import { cacheFolder } from '../state/cache-folder.ts';
import { parents } from './folder-entries.ts';
import { atSamePath, fromHost, text } from './host-entries.ts';
import { cachedLayer, type Layer } from './layer.ts';
import { sharedLibraries } from './shared-libraries.ts';
import type { TarEntry } from './tar.ts';

/** Base layers of images are built from files of this machine. */
export async function pauseLayer(bed: Bed): Promise<Layer> {
  const program = binary(bed, 'pause');
  return layerOf('pause', [program], () => [fromHost(program, 'pause')]);
}

export async function busyboxLayer(): Promise<Layer> {
  const program = findProgram('busybox') ?? '/bin/busybox';
  return layerOf('busybox', [program], () => busyboxEntries(program));
}

/** Node and its shared libraries. Images put this layer on top of busybox, which provides a shell. */
export async function nodeLayer(): Promise<Layer> {
  const files = [process.execPath, ...sharedLibraries([process.execPath])];
  return layerOf('node', files, () => nodeEntries(files));
}

function layerOf(name: string, files: readonly string[], entries: () => TarEntry[]): Promise<Layer> {
  const key = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(file);
    key.update(`${file} ${size} ${mtimeMs}\n`);
  }
  const file = join(cacheFolder(), 'layers', `${name}-${key.digest('hex').slice(0, 12)}.tar`);
  return cachedLayer(file, entries);
}

function busyboxEntries(program: string): TarEntry[] {
  const applets = execFileSync(program, ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  const names = applets.filter((name) => name !== 'busybox');
  const folders = ['bin', 'etc', 'root', 'usr', 'usr/bin'];
  return [
    ...folders.map((path): TarEntry => ({ type: 'directory', path, mode: 0o755 })),
    { type: 'directory', path: 'tmp', mode: 0o1777 },
    fromHost(program, 'bin/busybox'),
    ...names.map((name): TarEntry => ({ type: 'symlink', path: `bin/${name}`, target: 'busybox' })),
    text('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n'),
    text('etc/group', 'root:x:0:\nnogroup:x:65534:\n'),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
  ];
}

function nodeEntries([program = '', ...libraries]: readonly string[]): TarEntry[] {
  return [...parents('usr/bin'), fromHost(program, 'usr/bin/node'), ...atSamePath(libraries)];
}
