import { cp, mkdir, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Volume, VolumeMount } from '../../objects/pod.ts';
import { ConfigProblem } from '../configs/config-problem.ts';
import type { ContainerContext } from '../container-setup.ts';
import { expand } from '../environment/expand.ts';
import { isFilledByKubelet } from './mounted-volumes.ts';
import { volumeFolder } from './pod-volumes.ts';

/** A file or folder of this machine that is mounted into the container at `path`. */
export interface Mount {
  path: string;
  source: string;
  isFolder: boolean;
  isReadOnly: boolean;
}

/** The container's volume mounts, in the order of its spec. Rejects with a ConfigProblem when a mount is impossible. */
export async function containerMounts(
  place: ContainerContext,
  variables: ReadonlyMap<string, string>,
): Promise<Mount[]> {
  const { pod, container, folder } = place;
  const copies = path.join(folder, 'subpaths', container.name);
  await rm(copies, { recursive: true, force: true });
  const mounts: Mount[] = [];
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const volume = pod.spec.volumes?.find(({ name }) => name === mount.name);
    if (volume === undefined)
      throw new ConfigProblem(
        `cannot find volume ${JSON.stringify(mount.name)} to mount into container ${JSON.stringify(container.name)}`,
      );
    const isFilled = isFilledByKubelet(volume);
    const root = await volumeRoot(volume, folder);
    const subPath = subPathOf(mount, variables);
    let source = root;
    if (subPath !== '') {
      source = await withinVolume(root, subPath, mount.name, container.name);
      if (isFilled) source = await copied(source, path.join(copies, String(index)));
    }
    mounts.push({
      path: path.posix.resolve('/', mount.mountPath),
      source,
      isFolder: (await stat(source)).isDirectory(),
      isReadOnly: mount.readOnly === true || isFilled,
    });
  }
  return mounts;
}

/** The volume's root on this machine. A missing hostPath is created as a folder, as container runtimes do. */
async function volumeRoot(volume: Volume, podFolder: string): Promise<string> {
  const { hostPath } = volume;
  if (hostPath === undefined) return volumeFolder(podFolder, volume);
  if ((await stat(hostPath.path).catch(() => undefined)) === undefined)
    await mkdir(hostPath.path, { recursive: true, mode: 0o755 });
  return hostPath.path;
}

function subPathOf(
  { subPath = '', subPathExpr = '' }: VolumeMount,
  variables: ReadonlyMap<string, string>,
): string {
  if (subPathExpr === '') return checked(subPath);
  const missing = new Set<string>();
  const expanded = expand(subPathExpr, (name) => {
    const value = variables.get(name);
    if (!value) missing.add(name);
    return value;
  });
  if (missing.size > 0) throw new ConfigProblem(`missing value for ${[...missing].sort().join(', ')}`);
  return checked(expanded);
}

function checked(subPath: string): string {
  if (subPath.startsWith('/'))
    throw new ConfigProblem(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split('/').includes('..'))
    throw new ConfigProblem(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  return subPath;
}

/** The resolved location of a subPath, created as a folder when missing. Symlinks must not lead out of the volume. */
async function withinVolume(
  root: string,
  subPath: string,
  volume: string,
  container: string,
): Promise<string> {
  const realRoot = await realpath(root);
  const wanted = path.join(realRoot, subPath);
  const mode = (await stat(realRoot)).mode & 0o7777;
  // The missing part would be created below the deepest existing ancestor, so that ancestor must be in the volume.
  let existing = wanted;
  let found = await realpath(existing).catch(() => undefined);
  while (found === undefined) {
    existing = path.dirname(existing);
    found = await realpath(existing).catch(() => undefined);
  }
  if (found !== realRoot && !found.startsWith(`${realRoot}${path.sep}`)) throw failed(volume, container);
  try {
    if (existing !== wanted) await mkdir(wanted, { recursive: true, mode });
    const real = await realpath(wanted);
    if (real === realRoot || real.startsWith(`${realRoot}${path.sep}`)) return real;
  } catch {
    // The cause (a file in the way, a dangling symlink) is left out because it could reveal the machine's file system.
  }
  throw failed(volume, container);
}

function failed(volume: string, container: string): ConfigProblem {
  return new ConfigProblem(
    `failed to create subPath directory for volumeMount ${JSON.stringify(volume)} of container ${JSON.stringify(container)}`,
  );
}

/** A subPath mount of a config keeps the content from the container's start and receives no later updates. */
async function copied(from: string, to: string): Promise<string> {
  await mkdir(path.dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, dereference: true });
  return to;
}
