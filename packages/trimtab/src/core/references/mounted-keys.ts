import type { KeyToPath, PodSpec, VolumeMount } from '../../api/pod-template.ts';

/**
 * The keys of a source of a volume that containers get, when they mount the volume by `subPath` only. Undefined when a
 * container may get all that the source holds, and when no container mounts the volume.
 */
export function mountedKeys(
  { volumes = [], initContainers = [], containers = [], ephemeralContainers = [] }: PodSpec,
  volume: number,
  items: readonly KeyToPath[],
): string[] | undefined {
  const own = [...initContainers, ...containers, ...ephemeralContainers]
    .flatMap(({ volumeMounts }) => volumeMounts ?? [])
    .filter(({ name }) => name === volumes[volume]?.name);
  const keys: string[] = [];
  for (const mount of own) {
    const path = pathOf(mount);
    const its = items.length === 0 ? keyOf(path) : keysBelow(path, items);
    if (its.length === 0) return undefined;
    keys.push(...its);
  }
  return keys.length === 0 ? undefined : [...new Set(keys)];
}

/** Empty for the whole volume, and for a path that depends on the environment of the container. */
function pathOf({ subPath = '', subPathExpr }: VolumeMount): string {
  if (subPathExpr) return '';
  return subPath
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}

/** Without items, the names of files are keys. The kubelet keeps all files in the folder `..data`. */
function keyOf(path: string): string[] {
  return /^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/.test(path) ? [path] : [];
}

function keysBelow(path: string, items: readonly KeyToPath[]): string[] {
  return items.flatMap((item) => (item.path === path || item.path.startsWith(`${path}/`) ? [item.key] : []));
}
