import { injected } from '../../api/injected-pod.ts';
import type { ProjectedSource, Volume } from '../../api/pod-template.ts';

/** The agent is usually not root, who owns the files. No other container mounts the volume. */
const readableByAgent = 0o444;
/** The kubelet restricts credentials to this mode when the pod has an fsGroup or all its containers one user. */
const credentialMode = 0o600;

/** A projected volume with the sources that are not managed. Only the agent mounts it, and copies its files. */
export interface KeptVolume {
  volume: Volume;
  path: string;
  /** The modes of files in the original volume, by their paths. Other files have the mode of the original volume. */
  modes: Record<string, number>;
}

export function keptVolume(
  sources: readonly ProjectedSource[],
  index: number,
  restrictsCredentials: boolean,
): KeptVolume {
  const modes: Record<string, number> = {};
  for (const source of sources) {
    const items = [source.configMap, source.secret, source.downwardAPI].flatMap((each) => each?.items ?? []);
    for (const { path, mode } of items) if (typeof mode === 'number') modes[path] = mode;
    if (restrictsCredentials) for (const path of credentialPaths(source)) modes[path] = credentialMode;
  }
  return {
    volume: {
      name: `${injected.volumes.keptPrefix}${index}`,
      projected: { defaultMode: readableByAgent, sources: sources.map(withoutModes) },
    },
    path: `${injected.paths.kept}/${index}`,
    modes,
  };
}

function credentialPaths({
  serviceAccountToken,
  clusterTrustBundle,
  podCertificate,
}: ProjectedSource): string[] {
  return [
    serviceAccountToken?.path,
    clusterTrustBundle?.path,
    podCertificate?.credentialBundlePath,
    podCertificate?.keyPath,
    podCertificate?.certificateChainPath,
  ].filter((path) => path !== undefined);
}

function withoutModes(source: ProjectedSource): ProjectedSource {
  const copy = structuredClone(source);
  for (const { items } of [copy.configMap, copy.secret, copy.downwardAPI].filter((each) => each != null))
    for (const item of items ?? []) delete item.mode;
  return copy;
}
