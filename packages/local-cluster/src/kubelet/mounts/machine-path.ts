import type { Mount } from '../volumes/container-mounts.ts';

/** Maps a path of a container to this machine through its innermost mount. Paths outside of mounts are unchanged. */
export function machinePath(mounts: readonly Mount[], where: string): string {
  let found: Mount | undefined;
  for (const mount of mounts) {
    const isAround = where === mount.path || where.startsWith(`${mount.path}/`);
    if (isAround && mount.path.length >= (found?.path.length ?? 0)) found = mount;
  }
  return found === undefined ? where : `${found.source}${where.slice(found.path.length)}`;
}
