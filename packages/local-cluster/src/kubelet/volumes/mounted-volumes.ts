import path from 'node:path';
import type { Container, Pod, Volume } from '../../objects/pod.ts';

function containersOf({ spec }: Pod): Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

/** The volumes that a container mounts. Other volumes are not read, so a missing source of theirs is no failure. */
export function mountedVolumes(pod: Pod): Volume[] {
  const names = new Set(
    containersOf(pod).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)),
  );
  return (pod.spec.volumes ?? []).filter(({ name }) => names.has(name));
}

/** Whether the kubelet fills the volume from the API. Such volumes are read-only for the pod and kept up to date. */
export function isFilledByKubelet({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return (configMap ?? secret ?? downwardAPI ?? projected) !== undefined;
}

/** Whether the volume exposes the pod's labels or annotations, which may change while the pod runs. */
export function showsPodMetadata({ downwardAPI, projected }: Volume): boolean {
  const items = [
    ...(downwardAPI?.items ?? []),
    ...(projected?.sources ?? []).flatMap((source) => source.downwardAPI?.items ?? []),
  ];
  return items.some(({ fieldRef }) => /^metadata\.(labels|annotations)/.test(fieldRef?.fieldPath ?? ''));
}

/**
 * Folders inside a volume at which other volumes are mounted. They must be created in advance because a mount point
 * cannot be created in a read-only volume.
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
