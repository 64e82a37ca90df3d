import type { Container, PodSpec } from './pod-types.ts';

/** Warnings about valid but probably unintended settings. `path` is that of the spec in a pod or template. */
export function podWarnings(spec: PodSpec, path: string): string[] {
  const containers = [
    ...(spec.initContainers ?? []).map((each, index) => at(each, `${path}.initContainers[${index}]`)),
    ...(spec.containers ?? []).map((each, index) => at(each, `${path}.containers[${index}]`)),
  ];
  const { terminationGracePeriodSeconds: grace = 0 } = spec;
  return [
    ...pullSecretWarnings(spec, path),
    ...emptyProjections(spec),
    ...containers.flatMap(hiddenVariables),
    ...(grace < 0
      ? [
          `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...samePorts(containers),
  ];
}

interface Placed {
  container: Container;
  path: string;
}

function at(container: Container, path: string): Placed {
  return { container, path };
}

/** A later definition of a variable hides an earlier one, unless its value refers to the earlier one. */
function hiddenVariables({ container, path }: Placed): string[] {
  const names = new Set<string>();
  return (container.env ?? []).flatMap(({ name, value = '' }, index) => {
    const isHiding = names.has(name) && !value.includes(`$(${name})`);
    names.add(name);
    const what = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return isHiding ? [`${path}.env[${index}]: ${what}`] : [];
  });
}

function samePorts(containers: readonly Placed[]): string[] {
  const ports = containers.flatMap(({ container, path }) =>
    (container.ports ?? []).map(({ containerPort, protocol, hostPort = 0 }, index) => ({
      path: `${path}.ports[${index}]`,
      is: `${containerPort} ${protocol} ${hostPort}`,
    })),
  );
  return ports.flatMap(({ path, is }, index) =>
    ports
      .slice(0, index)
      .filter((other) => other.is === is)
      .map((other) => `${path}: duplicate port definition with ${other.path}`),
  );
}

function pullSecretWarnings({ imagePullSecrets = [] }: PodSpec, path: string): string[] {
  const names = new Set<string>();
  return imagePullSecrets.flatMap(({ name = '' }, index) => {
    const field = `${path}.imagePullSecrets[${index}].name`;
    if (name === '') return [`${field}: invalid empty name ""`];
    const isKnown = names.has(name);
    names.add(name);
    return isKnown ? [`${field}: duplicate name ${JSON.stringify(name)}`] : [];
  });
}

function emptyProjections({ volumes = [] }: PodSpec): string[] {
  return volumes
    .filter(({ projected }) => projected?.sources?.every((source) => Object.keys(source).length === 0))
    .map(({ name }) => `volume ${JSON.stringify(name)} (Projected) has no sources provided`);
}
