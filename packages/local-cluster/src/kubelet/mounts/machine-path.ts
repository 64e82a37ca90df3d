import type { Mount } from '../volumes/container-mounts.ts';

/** Where a path of a container lies on this machine; what is not mounted is where it is. The innermost mount counts. */
export function machinePath(mounts: readonly Mount[], where: string): string {
  let found: Mount | undefined;
  for (const mount of mounts) {
    const isAround = where === mount.path || where.startsWith(`${mount.path}/`);
    if (isAround && mount.path.length >= (found?.path.length ?? 0)) found = mount;
  }
  return found === undefined ? where : `${found.source}${where.slice(found.path.length)}`;
}
