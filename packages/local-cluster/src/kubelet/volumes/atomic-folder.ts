import { randomBytes } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { checkedPayload, type Payload } from './payload.ts';

const dataLink = '..data';
const nextDataLink = '..data_tmp';
/** Name of a generation folder: a timestamp and a random suffix, as in `..2026_11_15_09_30_00.4f1c`. */
const generation = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./;

/**
 * Makes `folder` show exactly `payload`, switching all files at once. The files are written to a new generation
 * folder, `..data` is a symlink to that folder, and the visible names (`key`, or the first segment of `sub/key`) are
 * symlinks into `..data`. The switch is one rename. Returns whether the content changed; unchanged content is not
 * written again. Safe to call again after a crash.
 */
export async function writeAtomically(folder: string, payload: Payload, now: number): Promise<boolean> {
  const files = checkedPayload(payload);
  const before = await readlink(path.join(folder, dataLink)).catch(unlessMissing);
  const isNew = before === undefined || !(await holds(path.join(folder, before), files));
  if (isNew) await publish(folder, files, now);
  await showNames(folder, new Set([...files.keys()].map(firstName)));
  await removeOldGenerations(folder);
  return isNew;
}

async function publish(folder: string, files: Payload, now: number): Promise<void> {
  const name = `..${timestamp(now)}.${randomBytes(5).toString('hex')}`;
  const next = path.join(folder, name);
  try {
    await mkdir(next);
    // Set explicitly because the umask may be stricter: the modes of the files alone decide who may read them.
    await chmod(next, 0o755);
    for (const [where, { data, mode }] of files) {
      const file = path.join(next, where);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, data, { mode: 0o600 });
      await chmod(file, mode);
    }
    await rm(path.join(folder, nextDataLink), { force: true });
    await symlink(name, path.join(folder, nextDataLink));
    await rename(path.join(folder, nextDataLink), path.join(folder, dataLink));
  } catch (error) {
    await rm(next, { recursive: true, force: true });
    throw error;
  }
}

/** Returns whether the folder holds exactly these files with this content. Like kubelet, it ignores file modes. */
async function holds(folder: string, files: Payload): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(unlessMissing);
  const present = entries?.filter((entry) => !entry.isDirectory());
  if (present?.length !== files.size) return false;
  for (const [where, { data }] of files) {
    if (!(await isFileWith(path.join(folder, where), data))) return false;
  }
  return true;
}

async function isFileWith(file: string, data: Buffer): Promise<boolean> {
  try {
    return (await readFile(file)).equals(data);
  } catch (error) {
    // The mode may deny reading even to this process. No other process can read the file either, so its size suffices.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return (await lstat(file)).size === data.length;
    return false;
  }
}

/** Runs after the switch: a link is added only once its target exists, and links of removed names are deleted. */
async function showNames(folder: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of names) {
    const link = path.join(folder, name);
    if ((await lstat(link).catch(unlessMissing)) === undefined)
      await symlink(path.join(dataLink, name), link);
  }
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    // A directory that is not a symlink is the mount point of a volume nested in this one.
    if (entry.name.startsWith('..') || names.has(entry.name) || !entry.isSymbolicLink()) continue;
    await rm(path.join(folder, entry.name), { force: true });
  }
}

async function removeOldGenerations(folder: string): Promise<void> {
  const current = await readlink(path.join(folder, dataLink));
  for (const name of await readdir(folder))
    if (generation.test(name) && name !== current)
      await rm(path.join(folder, name), { recursive: true, force: true });
}

function firstName(where: string): string {
  return where.split('/')[0] ?? where;
}

function timestamp(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replace(/[-T:]/g, '_');
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
