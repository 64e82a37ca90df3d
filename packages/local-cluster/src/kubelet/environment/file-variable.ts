import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../objects/pod.ts';
import { ConfigProblem } from '../configs/config-problem.ts';
import { mountedVolumes } from '../volumes/mounted-volumes.ts';
import { volumeFolder } from '../volumes/pod-volumes.ts';
import { environmentFileValue } from './environment-file.ts';

export interface FileVariable {
  /** '' when the key is missing. */
  value: string;
  /** Path of the file on the node. */
  file: string;
}

/**
 * Reads the value of a `fileKeyRef` from a file that an earlier container wrote to a volume. As in Kubernetes, the
 * message of an error does not say what is wrong with the file.
 */
export async function fileVariable(
  { pod, folder }: { pod: Pod; folder: string },
  { volume, file, key }: { volume: string; file: string; key: string },
): Promise<FileVariable> {
  const found = mountedVolumes(pod).find(({ name }) => name === volume);
  if (found === undefined)
    throw new ConfigProblem(`cannot find the volume ${JSON.stringify(volume)} referenced by FileKeyRef`);
  const root = found.hostPath?.path ?? volumeFolder(folder, found);
  try {
    const value = environmentFileValue(await readWithin(root, file), key);
    return { value, file: path.join(root, path.posix.resolve('/', file)) };
  } catch {
    throw new ConfigProblem("couldn't parse env file");
  }
}

/** Reads a file, but never through a symlink that leads out of the volume. */
async function readWithin(root: string, file: string): Promise<string> {
  const realRoot = await realpath(root);
  const real = await realpath(path.join(realRoot, path.posix.resolve('/', file)));
  if (!real.startsWith(`${realRoot}${path.sep}`)) throw new Error('the path leads out of the volume');
  return readFile(real, 'utf8');
}
