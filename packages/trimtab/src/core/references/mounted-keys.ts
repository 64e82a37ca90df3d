import type { KeyToPath, PodSpec, VolumeMount } from '../../api/pod-template.ts';

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
    .map(pathOf);
  if (paths.includes('')) return undefined;
  const keys = paths.flatMap((path) => (items.length === 0 ? keyOf(path) : keysBelow(path, items)));
  return [...new Set(keys)];
}

/** Empty for the whole volume, and for a path that depends on the environment of the container. */
function pathOf({ subPath = '', subPathExpr = '' }: VolumeMount): string {
  if (subPathExpr.includes('$')) return '';
  const [first = '', ...rest] = segmentsOf(subPathExpr || subPath);
  // The kubelet keeps the files in the folder that `..data` names, whose own name begins with `..` as well.
  return (first.startsWith('..') ? rest : [first, ...rest]).join('/');
}

/** As the kubelet cleans paths. */
function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

/** Without items, the names of files are keys. A path that names no file gives a container nothing. */
function keyOf(path: string): string[] {
  return /^[-._a-zA-Z0-9]{1,253}$/.test(path) ? [path] : [];
}

function keysBelow(path: string, items: readonly KeyToPath[]): string[] {
  return items.flatMap((item) => {
    const file = segmentsOf(item.path).join('/');
    return file === path || file.startsWith(`${path}/`) ? [item.key] : [];
  });
}
