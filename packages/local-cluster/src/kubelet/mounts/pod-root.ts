import { lstat, mkdir, rm, rmdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Mount } from '../volumes/container-mounts.ts';
import { machinePath } from './machine-path.ts';
import { ViewProblem } from './plan-view.ts';

/**
 * Where there are no mount namespaces: a folder in which each mount path is a link to what is mounted there. The
 * program finds it by `$POD_ROOT`. Only links and empty folders are ever made in here, so that it can be removed.
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
      throw new ViewProblem(`${mount.path} cannot be mounted inside of another volume (${code})`);
    }
  }
  await mkdir(placeIn(root, cwd, inOrder), { recursive: true }).catch(() => {});
}

/** A mount inside of another one lies in that one's folder. */
function placeIn(root: string, where: string, before: readonly Mount[]): string {
  const real = machinePath(before, where);
  return real === where ? path.join(root, where) : real;
}

async function link(source: string, place: string): Promise<void> {
  const there = await lstat(place).catch(() => undefined);
  // The place was made for it, or is left of an earlier start.
  if (there?.isDirectory()) await rmdir(place);
  else if (there?.isSymbolicLink()) await rm(place);
  await symlink(source, place);
}
