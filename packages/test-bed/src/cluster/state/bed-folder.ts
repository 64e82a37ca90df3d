import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BedError } from '../terminal/bed-error.ts';
import { runFolder } from './cache-folder.ts';

/** The paths of one bed. All of them vanish with `down`. */
export interface BedFolder {
  name: string;
  root: string;
  /** Different for two beds of the same name in two cache folders: names things outside the folder, like cgroups. */
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
      `'${name}' is no name for a bed: use up to 30 small letters, digits and dashes, such as 'mine-2'`,
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
      `Set XDG_CACHE_HOME to a shorter folder, or take a shorter --name.`,
    ]);
  // Keys and kubeconfigs are in here: for this user only.
  mkdirSync(folder.root, { recursive: true, mode: 0o700 });
  for (const each of ['log', 'pid', 'pki']) mkdirSync(folder.at(each), { recursive: true });
}

/** The names of all beds that have a folder, running or not. */
export function bedNames(): string[] {
  if (!existsSync(runFolder())) return [];
  return readdirSync(runFolder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
