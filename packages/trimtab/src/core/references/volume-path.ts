import type { VolumeMount } from '../../api/pod-template.ts';

/**
 * What a container mounts of a volume: the path of a file or folder. Empty for the whole volume, and for a path that
 * depends on the environment of the container.
 */
export function mountedPath({ subPath = '', subPathExpr = '' }: VolumeMount): string {
  if (subPathExpr.includes('$')) return '';
  const [first = '', ...rest] = cleanPath(subPathExpr || subPath).split('/');
  // The kubelet keeps the files in the folder that `..data` names, whose own name begins with `..` as well.
  return (first.startsWith('..') ? rest : [first, ...rest]).join('/');
}

/** Cleans a path as the kubelet does. */
export function cleanPath(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}

/** Not by a regular expression such as `/\/+$/`, which takes quadratic time: Kubernetes does not limit a path. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
