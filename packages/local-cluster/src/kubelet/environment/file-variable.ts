import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../objects/pod.ts';
import { ConfigProblem, messageOf } from '../configs/config-problem.ts';
import { mountedVolumes } from '../volumes/mounted-volumes.ts';
import { volumeFolder } from '../volumes/pod-volumes.ts';
import { environmentFileValue } from './environment-file.ts';

/** The value of a `fileKeyRef`, from a file that an init container wrote to a volume; '' when the key is missing. */
export async function fileVariable(
  { pod, folder }: { pod: Pod; folder: string },
  { volume, file, key }: { volume: string; file: string; key: string },
): Promise<string> {
  const found = mountedVolumes(pod).find(({ name }) => name === volume);
  if (found === undefined)
    throw new ConfigProblem(`cannot find the volume ${JSON.stringify(volume)} referenced by FileKeyRef`);
  const root = found.hostPath?.path ?? volumeFolder(folder, found);
  const text = await readWithin(root, file).catch(() => {
    throw new ConfigProblem("couldn't parse env file");
  });
  try {
    return environmentFileValue(text, key);
  } catch (error) {
    throw new ConfigProblem(`couldn't parse env file: ${messageOf(error)}`);
  }
}

/** Reads a file, but never through a symlink that leads out of the volume. */
async function readWithin(root: string, file: string): Promise<string> {
  const realRoot = await realpath(root);
  const real = await realpath(path.join(realRoot, path.posix.resolve('/', file)));
  if (!real.startsWith(`${realRoot}${path.sep}`)) throw new Error('the path leads out of the volume');
  return readFile(real, 'utf8');
}
