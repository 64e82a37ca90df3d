import { injected } from '../../api/injected-pod.ts';
import type { KeyToPath, Volume } from '../../api/pod-template.ts';
import type { ManagedConfig } from './managed-configs.ts';

/** The agent is usually not root, who owns the files. No other container mounts the volume. */
const readableByAgent = 0o444;

export function birthVolumeName(index: number): string {
  return `${injected.volumes.birthPrefix}${index}`;
}

export function birthPath(index: number): string {
  return `${injected.paths.birth}/${index}`;
}

/**
 * A volume with the version that is assigned when the pod is created: the pod starts when the gateway is not available.
 * The gateway serves only what the pod's spec references, so the volume has the keys that the original spec names.
 */
export function birthVolume(config: ManagedConfig, index: number): Volume {
  const name = birthVolumeName(index);
  const sources = sourcesOf(config);
  const [only] = sources;
  const { kind, object } = config;
  if (sources.length > 1)
    return {
      name,
      projected: {
        defaultMode: readableByAgent,
        sources: sources.map((source) =>
          kind === 'ConfigMap'
            ? { configMap: { name: object, ...source } }
            : { secret: { name: object, ...source } },
        ),
      },
    };
  return kind === 'ConfigMap'
    ? { name, configMap: { name: object, ...only, defaultMode: readableByAgent } }
    : { name, secret: { secretName: object, ...only, defaultMode: readableByAgent } };
}

/** `optional` holds for a whole source, so required and optional keys are two sources. */
function sourcesOf({ keys, optional }: ManagedConfig): { items?: KeyToPath[]; optional?: boolean }[] {
  if (keys === undefined) return [optional ? { optional } : {}];
  const items = (ofOptional: boolean) =>
    keys.filter((key) => key.optional === ofOptional).map(({ name }) => ({ key: name, path: name }));
  return [
    ...(items(false).length > 0 ? [{ items: items(false) }] : []),
    ...(items(true).length > 0 ? [{ items: items(true), optional: true }] : []),
  ];
}
