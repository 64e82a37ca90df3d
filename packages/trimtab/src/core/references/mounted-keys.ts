import type { KeyToPath, PodSpec } from '../../api/pod-template.ts';
import { cleanPath, mountedPath } from './volume-path.ts';

/**
 * The keys of a source of a volume that containers get by their mounts of the volume: none when no container mounts it.
 * Undefined when a container gets all that the source holds.
 */
export function mountedKeys(
  { volumes = [], initContainers = [], containers = [], ephemeralContainers = [] }: PodSpec,
  volume: number,
  items: readonly KeyToPath[],
): string[] | undefined {
  const paths = [...initContainers, ...containers, ...ephemeralContainers]
    .flatMap(({ volumeMounts }) => volumeMounts ?? [])
    .filter(({ name }) => name === volumes[volume]?.name)
    .map(mountedPath);
  if (paths.includes('')) return undefined;
  const keys = paths.flatMap((path) => (items.length === 0 ? keyOf(path) : keysBelow(path, items)));
  return [...new Set(keys)];
}

/** Without items, the names of files are keys. A path that names no file gives a container nothing. */
function keyOf(path: string): string[] {
  return /^[-._a-zA-Z0-9]{1,253}$/.test(path) ? [path] : [];
}

function keysBelow(path: string, items: readonly KeyToPath[]): string[] {
  return items.flatMap((item) => {
    const file = cleanPath(item.path);
    return file === path || file.startsWith(`${path}/`) ? [item.key] : [];
  });
}
