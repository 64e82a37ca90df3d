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
/** Ours alone: `..2026_11_15_09_30_00.` and something random. */
const generation = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./;

/**
 * Makes `folder` show exactly `payload`, all of it at one moment: files lie in a folder of their own, `..data` points
 * to it, and what a reader sees (`key`, or the first part of `sub/key`) points into `..data`. The swap is one rename.
 * Answers whether anything changed; content that is the same is left alone. May be called again after a crash.
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
    // Whatever the umask is: programs of other users may read what the modes of the files allow.
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

/** True when the folder has these files with this content, and no others. Modes do not count, as for kubelet. */
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
    // Its mode may forbid even us to read it: then nobody else can, either, and its length has to do.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return (await lstat(file)).size === data.length;
    return false;
  }
}

/** Links that are new come after the swap, links that are old go after it: no reader finds one that leads nowhere new. */
async function showNames(folder: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of names) {
    const link = path.join(folder, name);
    if ((await lstat(link).catch(unlessMissing)) === undefined)
      await symlink(path.join(dataLink, name), link);
  }
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    // A real folder is where another volume is mounted inside of this one.
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
