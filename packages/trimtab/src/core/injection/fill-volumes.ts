import { type InjectedSource, type InjectedVolume, injected } from '../../api/injected-pod.ts';
import type { KeyToPath, ProjectedSource, Volume, VolumeMount } from '../../api/pod-template.ts';
import { type FileOwner, readableMode } from './file-mode.ts';
import { type KeptVolume, keptVolume } from './kept-volumes.ts';
import type { ManagedConfigs } from './managed-configs.ts';

/** The default of Kubernetes for configMap, secret and projected volumes. */
const defaultFileMode = 0o644;

export interface FillInput {
  configs: ManagedConfigs;
  /** The mounts of all containers. */
  mounts: readonly VolumeMount[];
  /** The owner of the files that the agent writes to a volume. */
  ownerOf: (volume: string) => FileOwner;
  /** The kubelet restricts the modes of credentials in this pod. */
  restrictsCredentials: boolean;
}

export interface FilledVolumes {
  /** All volumes of the pod: those with managed configs are empty now, and the agent fills them. */
  volumes: Volume[];
  replaced: Volume[];
  filled: InjectedVolume[];
  kept: KeptVolume[];
}

export function fillVolumes(volumes: readonly Volume[], input: FillInput): FilledVolumes {
  const result: FilledVolumes = { volumes: [], replaced: [], filled: [], kept: [] };
  for (const volume of volumes) {
    const sources = sourcesOf(volume);
    if (!sources.some((source) => configIndex(source, input.configs) >= 0)) {
      result.volumes.push(volume);
      continue;
    }
    const owner = input.ownerOf(volume.name);
    const { defaultMode } = volume.configMap ?? volume.secret ?? volume.projected ?? {};
    result.replaced.push(volume);
    result.volumes.push(emptyVolume(volume));
    result.filled.push({
      name: volume.name,
      path: `${injected.paths.volumes}/${volume.name}`,
      sources: runsOf(sources, input.configs).map((run) =>
        'config' in run
          ? managedSource(run.config, run.source, owner)
          : keptSource(run.kept, owner, input, result.kept),
      ),
      fileMode: readableMode(defaultMode ?? defaultFileMode, owner),
      ...subPathsOf(volume.name, input.mounts),
    });
  }
  return result;
}

function subPathsOf(volume: string, mounts: readonly VolumeMount[]): Pick<InjectedVolume, 'subPaths'> {
  const paths = mounts.flatMap(({ name, subPath }) => (name === volume && subPath ? [subPath] : []));
  return paths.length === 0 ? {} : { subPaths: [...new Set(paths)] };
}

/** The kubelet keeps Secrets and projected volumes in memory, too, and ConfigMaps on the disk of the node. */
function emptyVolume({ name, configMap }: Volume): Volume {
  return { name, emptyDir: configMap ? {} : { medium: 'Memory' } };
}

function sourcesOf({ configMap, secret, projected }: Volume): ProjectedSource[] {
  if (configMap) return [{ configMap }];
  if (secret) {
    const { secretName, ...rest } = secret;
    return [{ secret: { ...(secretName !== undefined && { name: secretName }), ...rest } }];
  }
  return projected?.sources ?? [];
}

function configIndex({ configMap, secret }: ProjectedSource, configs: ManagedConfigs): number {
  return configMap ? configs.indexOf('ConfigMap', configMap.name) : configs.indexOf('Secret', secret?.name);
}

type Run = { config: number; source: ProjectedSource } | { kept: ProjectedSource[] };

/** Of two files with the same path the later wins, so sources are kept together only if none is managed in between. */
function runsOf(sources: readonly ProjectedSource[], configs: ManagedConfigs): Run[] {
  const runs: Run[] = [];
  for (const source of sources) {
    const config = configIndex(source, configs);
    const last = runs.at(-1);
    if (config >= 0) runs.push({ config, source });
    else if (last !== undefined && 'kept' in last) last.kept.push(source);
    else runs.push({ kept: [source] });
  }
  return runs;
}

function managedSource(
  config: number,
  { configMap, secret }: ProjectedSource,
  owner: FileOwner,
): InjectedSource {
  const { items, optional } = configMap ?? secret ?? {};
  return {
    config,
    ...(items && items.length > 0 && { items: items.map((item) => injectedItem(item, owner)) }),
    ...(optional && { optional: true as const }),
  };
}

function injectedItem({ key, path, mode }: KeyToPath, owner: FileOwner): KeyToPath {
  return { key, path, ...(typeof mode === 'number' && { mode: readableMode(mode, owner) }) };
}

function keptSource(
  sources: ProjectedSource[],
  owner: FileOwner,
  { restrictsCredentials }: FillInput,
  all: KeptVolume[],
): InjectedSource {
  const kept = keptVolume(sources, all.length, restrictsCredentials);
  all.push(kept);
  const modes = Object.entries(kept.modes).map(([path, mode]) => [path, readableMode(mode, owner)] as const);
  return { keptPath: kept.path, ...(modes.length > 0 && { modes: Object.fromEntries(modes) }) };
}
