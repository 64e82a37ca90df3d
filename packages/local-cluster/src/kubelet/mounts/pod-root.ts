import { lstat, mkdir, rm, rmdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Mount } from '../volumes/container-mounts.ts';
import { machinePath } from './machine-path.ts';
import { ViewProblem } from './plan-view.ts';

/**
 * The substitute for mount namespaces: a folder in which each mount path is a symlink to the mounted volume. The
 * program finds the folder through `$POD_ROOT`. It contains only symlinks and empty folders, so it is safe to remove.
 */
export async function makePodRoot(root: string, mounts: readonly Mount[], cwd: string): Promise<void> {
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  const inOrder = [...mounts].sort((a, b) => a.path.length - b.path.length);
  for (const [index, mount] of inOrder.entries()) {
    const place = placeIn(root, mount.path, inOrder.slice(0, index));
    try {
      await mkdir(path.dirname(place), { recursive: true });
      await link(mount.source, place);
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException;
      throw new ViewProblem(`cannot mount ${mount.path} inside another volume: ${code}`);
    }
  }
  await mkdir(placeIn(root, cwd, inOrder), { recursive: true }).catch(() => {});
}

/** A mount nested in another one is placed in the folder of the outer one. */
function placeIn(root: string, where: string, before: readonly Mount[]): string {
  const real = machinePath(before, where);
  return real === where ? path.join(root, where) : real;
}

async function link(source: string, place: string): Promise<void> {
  const there = await lstat(place).catch(() => undefined);
  // The entry was created as a mount point or is left over from an earlier start.
  if (there?.isDirectory()) await rmdir(place);
  else if (there?.isSymbolicLink()) await rm(place);
  await symlink(source, place);
}
