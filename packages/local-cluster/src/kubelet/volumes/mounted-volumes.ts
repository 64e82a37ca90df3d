import path from 'node:path';
import type { Container, Pod, Volume } from '../../objects/pod.ts';

function containersOf({ spec }: Pod): Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

/** Those that a container mounts; of the others nothing is read, and nothing can be missing. */
export function mountedVolumes(pod: Pod): Volume[] {
  const names = new Set(
    containersOf(pod).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)),
  );
  return (pod.spec.volumes ?? []).filter(({ name }) => names.has(name));
}

/** Filled by us from the API, so read-only for the pod, and kept up to date. */
export function isFilledByKubelet({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return (configMap ?? secret ?? downwardAPI ?? projected) !== undefined;
}

/** True when the volume shows what people may change on a living pod: its labels and annotations. */
export function showsPodMetadata({ downwardAPI, projected }: Volume): boolean {
  const items = [
    ...(downwardAPI?.items ?? []),
    ...(projected?.sources ?? []).flatMap((source) => source.downwardAPI?.items ?? []),
  ];
  return items.some(({ fieldRef }) => /^metadata\.(labels|annotations)/.test(fieldRef?.fieldPath ?? ''));
}

/**
 * Folders inside of a volume where other volumes are mounted: they have to be there before, since nobody can make
 * them in a volume that is read-only.
 */
export function nestedMountPoints(pod: Pod, volume: string): string[] {
  return containersOf(pod).flatMap(({ volumeMounts = [] }) => {
    const all = volumeMounts.map(({ mountPath }) => path.posix.normalize(`/${mountPath}/`));
    const roots = volumeMounts
      .filter(({ name, subPath, subPathExpr }) => name === volume && !subPath && !subPathExpr)
      .map(({ mountPath }) => path.posix.normalize(`/${mountPath}/`));
    return roots.flatMap((root) => {
      const below = all.filter((each) => each !== root && each.startsWith(root));
      const outermost = below.filter(
        (each) => !below.some((other) => other !== each && each.startsWith(other)),
      );
      return outermost.map((each) => each.slice(root.length, -1));
    });
  });
}
