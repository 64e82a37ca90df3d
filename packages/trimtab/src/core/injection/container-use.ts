import type { Container, PodTemplate } from '../../api/pod-template.ts';
import { envReferences } from './env-references.ts';
import type { ManagedConfigs } from './managed-configs.ts';

/** How a container uses the managed configs of its pod. */
export interface ContainerUse {
  container: Container;
  /** It does not end before the application starts: an application, or a sidecar. */
  keepsRunning: boolean;
  /** The managed volumes that it mounts. */
  volumes: ReadonlySet<string>;
  /** It takes a managed config by env or envFrom, which stays as it is until the container restarts. */
  environment: boolean;
}

export function containerUses(pod: PodTemplate, configs: ManagedConfigs): ContainerUse[] {
  const managed = new Set(managedVolumes(pod, configs));
  const use = (container: Container, keepsRunning: boolean): ContainerUse => ({
    container,
    keepsRunning,
    volumes: new Set(
      (container.volumeMounts ?? []).map(({ name }) => name).filter((name) => managed.has(name)),
    ),
    environment: envReferences(container).some(({ kind, source }) => configs.find(kind, source.name)),
  });
  return [
    ...(pod.spec?.initContainers ?? []).map((each) => use(each, each.restartPolicy === 'Always')),
    ...(pod.spec?.containers ?? []).map((each) => use(each, true)),
  ];
}

/** The names of the containers that can be told about a change. */
export function runningContainers({ spec }: PodTemplate): string[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...(spec?.containers ?? [])].map(({ name }) => name);
}

function managedVolumes({ spec }: PodTemplate, configs: ManagedConfigs): string[] {
  return (spec?.volumes ?? []).flatMap(({ name, configMap, secret, projected }) => {
    const isManaged =
      configs.find('ConfigMap', configMap?.name) ??
      configs.find('Secret', secret?.secretName) ??
      projected?.sources?.some(
        (source) =>
          configs.find('ConfigMap', source.configMap?.name) ?? configs.find('Secret', source.secret?.name),
      );
    return isManaged ? [name] : [];
  });
}
