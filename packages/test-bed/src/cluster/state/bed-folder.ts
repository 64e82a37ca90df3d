import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BedError } from '../terminal/bed-error.ts';
import { runFolder } from './cache-folder.ts';

/** The paths of one bed. `down` removes all of them. */
export interface BedFolder {
  name: string;
  root: string;
  /** Differs for beds of the same name in two cache folders. It names objects outside the folder, such as cgroups. */
  id: string;
  state: string;
  lock: string;
  log(daemon: string): string;
  pid(daemon: string): string;
  at(...parts: string[]): string;
}

const longestSocketPath = 107;

export function bedFolder(name: string): BedFolder {
  if (!/^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/.test(name))
    throw new BedError(
      `'${name}' is not a valid bed name: must be up to 30 lowercase letters, digits and dashes, such as 'mine-2'`,
    );
  const root = join(runFolder(), name);
  return {
    name,
    root,
    id: `trimtab-${name}-${createHash('sha256').update(root).digest('hex').slice(0, 6)}`,
    state: join(root, 'bed.json'),
    lock: `${root}.lock`,
    log: (daemon) => join(root, 'log', `${daemon}.log`),
    pid: (daemon) => join(root, 'pid', daemon),
    at: (...parts) => join(root, ...parts),
  };
}

export function createBedFolder(folder: BedFolder): void {
  const longest = folder.at('containerd.sock.ttrpc');
  if (Buffer.byteLength(longest) > longestSocketPath)
    throw new BedError(`the path ${folder.root} is too long for Unix sockets`, [
      `Set XDG_CACHE_HOME to a shorter folder, or use a shorter --name.`,
    ]);
  // The folder contains keys and kubeconfigs, so only this user may read it.
  mkdirSync(folder.root, { recursive: true, mode: 0o700 });
  for (const each of ['log', 'pid', 'pki']) mkdirSync(folder.at(each), { recursive: true });
}

/** The names of all beds with a folder, whether or not they are running. */
export function bedNames(): string[] {
  if (!existsSync(runFolder())) return [];
  return readdirSync(runFolder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
