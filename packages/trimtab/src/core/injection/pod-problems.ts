import { injected } from '../../api/injected-pod.ts';
import { annotations } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { withoutTrailingSlashes } from '../references/volume-path.ts';
import { isReservedVolume } from './reserved-names.ts';

/** Why the agent cannot be added to a pod, whatever its annotations say. */
export function podProblems({ spec }: PodTemplate): string[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const volumes = (spec?.volumes ?? []).map(({ name }) => name).filter(isReservedVolume);
  const mounting = containers.filter(({ volumeMounts }) =>
    volumeMounts?.some(({ mountPath }) => withoutTrailingSlashes(mountPath) === injected.paths.public),
  );
  return [
    ...(spec?.os?.name === 'windows'
      ? [
          `The agent does not run on Windows: remove annotation ${annotations.restart}, so pods are replaced when a config changes`,
        ]
      : []),
    ...(containers.some(({ name }) => name === injected.container)
      ? [`Container "${injected.container}" has the name of the agent: rename the container`]
      : []),
    ...volumes.map((name) => `Volume "${name}" has a name that the agent needs: rename the volume`),
    ...mounting.map(
      ({ name }) =>
        `Container "${name}" mounts a volume at ${injected.paths.public}, which the agent needs: mount it at another path`,
    ),
  ];
}

/** The in-pod endpoint needs a port that no container declares. */
export function portProblems({ spec }: PodTemplate, port: number): string[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return containers
    .filter(({ ports }) =>
      ports?.some(({ containerPort, protocol }) => containerPort === port && (protocol ?? 'TCP') === 'TCP'),
    )
    .map(
      ({ name }) =>
        `Container "${name}" declares port ${port}, which the in-pod endpoint needs: set annotation ${annotations.configPort} to another port, such as "${port === 9002 ? 9001 : 9002}"`,
    );
}

export function processNamespaceProblems({ spec }: PodTemplate): string[] {
  if (spec?.shareProcessNamespace !== false || spec.hostPID === true) return [];
  return [
    `The pod sets shareProcessNamespace: false, so the agent cannot send signals to its containers: remove the field, or set annotation ${annotations.reload} to another way, such as "pull" or "http:POST http://localhost:9090/-/reload"`,
  ];
}
