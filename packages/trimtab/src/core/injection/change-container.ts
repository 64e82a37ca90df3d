import { type InjectedVolume, injected } from '../../api/injected-pod.ts';
import type { Container, EnvVar } from '../../api/pod-template.ts';
import { missingEnv } from './application-env.ts';
import { envReferences } from './env-references.ts';
import type { ManagedConfigs } from './managed-configs.ts';
import { emptinessOf, type OriginalContainer } from './original.ts';

export interface ContainerChanges {
  env: readonly EnvVar[];
  configs: ManagedConfigs;
  filled: readonly InjectedVolume[];
}

/** Gives a container the endpoint and its public files, and records what it changes. */
export function changeContainer(
  container: Container,
  { env, configs, filled }: ContainerChanges,
): OriginalContainer {
  const references = renameReferences(container, configs);
  const added = missingEnv(env, container.env ?? []);
  const wasEmpty = {
    env: emptinessOf(container.env),
    volumeMounts: emptinessOf(container.volumeMounts),
  };
  const writable = readOnlyMounts(container, new Set(filled.map(({ name }) => name)));
  if (added.length > 0) container.env = [...structuredClone(added), ...(container.env ?? [])];
  container.volumeMounts = [
    ...(container.volumeMounts ?? []),
    { name: injected.volumes.public, mountPath: injected.paths.public, readOnly: true },
  ];
  return {
    name: container.name,
    env: added.map(({ name }) => name),
    empty: {
      ...(wasEmpty.env && { env: wasEmpty.env }),
      ...(wasEmpty.volumeMounts && { volumeMounts: wasEmpty.volumeMounts }),
    },
    writable,
    references,
  };
}

/** The kubelet mounts configMap, secret and projected volumes read-only, whatever the mount says. */
function readOnlyMounts(container: Container, volumes: ReadonlySet<string>): OriginalContainer['writable'] {
  const mounts = (container.volumeMounts ?? []).filter(
    ({ name, readOnly }) => volumes.has(name) && readOnly !== true,
  );
  return mounts.map((mount) => {
    const { readOnly = 'absent' } = mount;
    mount.readOnly = true;
    return { path: mount.mountPath, readOnly };
  }) as OriginalContainer['writable'];
}

/** Environment variables come from the version at the pod's birth. */
function renameReferences(container: Container, configs: ManagedConfigs): OriginalContainer['references'] {
  const renamed: OriginalContainer['references'] = [];
  for (const { kind, source } of envReferences(container)) {
    const object = configs.find(kind, source.name)?.object;
    if (object === undefined || source.name === undefined) continue;
    const known = renamed.find((each) => each.kind === kind && each.object === object);
    if (known === undefined) renamed.push({ kind, object, names: [source.name] });
    else known.names.push(source.name);
    source.name = object;
  }
  return renamed.filter(({ object, names }) => names.some((name) => name !== object));
}
