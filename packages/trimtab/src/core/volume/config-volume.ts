import type { Container, PodSpec, PodTemplate, Volume, VolumeMount } from '../../api/pod-template.ts';
import type { ConfigKind } from '../references/references.ts';
import { withoutTrailingSlashes } from '../references/volume-path.ts';

/** Which mounts of a config to add to a pod template, or to remove from it. */
export interface VolumeRequest {
  kind: ConfigKind;
  config: string;
  /** The names under which the template may reference the config: its own and those of its versions. */
  names: ReadonlySet<string>;
  /** Name of the volume. */
  volumeName?: string | undefined;
  mountPath?: string | undefined;
  subPath?: string | undefined;
  /** Names of containers, separated by commas; `*` stands for any characters. */
  containers: string;
}

export type VolumeChange =
  | { template: PodTemplate; changed: boolean }
  /** The change is not possible. `remedy` completes the sentence "hint: …". */
  | { problem: string; remedy: string };

/** Mounts a config into containers. What is mounted already, also as a version of the config, stays as it is. */
export function mountConfig(template: PodTemplate, request: VolumeRequest): VolumeChange {
  const { mountPath = `/etc/${request.config}`, subPath } = request;
  const next = structuredClone(template);
  const spec = next.spec ?? {};
  next.spec = spec;
  const selected = selectContainers(spec, request.containers);
  if ('problem' in selected) return selected;

  const toMount: Container[] = [];
  for (const container of selected.containers) {
    const there = container.volumeMounts?.find((mount) => isSamePath(mount.mountPath, mountPath));
    if (there === undefined) toMount.push(container);
    else if (!isMountOf(spec, request, there) || (there.subPath ?? '') !== (subPath ?? ''))
      return {
        problem: `container ${JSON.stringify(container.name)} mounts volume ${JSON.stringify(there.name)}${there.subPath ? ` (subPath ${there.subPath})` : ''} at ${mountPath} already`,
        remedy:
          'choose another path with --mount-path, other containers with --containers, or remove that mount first',
      };
  }
  if (toMount.length === 0) return { template, changed: false };

  const volume = volumeFor(spec, request);
  if ('problem' in volume) return volume;
  const mount: VolumeMount = { name: volume.name, mountPath, ...(subPath !== undefined && { subPath }) };
  for (const container of toMount) container.volumeMounts = [...(container.volumeMounts ?? []), { ...mount }];
  return { template: next, changed: true };
}

/** Removes the mounts of a config from containers, and its volumes once no container mounts them. */
export function unmountConfig(template: PodTemplate, request: VolumeRequest): VolumeChange {
  const { volumeName, mountPath, subPath } = request;
  const next = structuredClone(template);
  const spec = next.spec ?? {};
  const selected = selectContainers(spec, request.containers);
  if ('problem' in selected) return selected;

  const its = new Set(
    (spec.volumes ?? [])
      .filter((each) => isVolumeOf(each, request) && (volumeName === undefined || each.name === volumeName))
      .map(({ name }) => name),
  );
  const isMeant = (mount: VolumeMount) =>
    its.has(mount.name) &&
    (mountPath === undefined || isSamePath(mount.mountPath, mountPath)) &&
    (subPath === undefined || mount.subPath === subPath);
  let removed = 0;
  for (const container of selected.containers) {
    const left = container.volumeMounts?.filter((mount) => !isMeant(mount)) ?? [];
    removed += (container.volumeMounts?.length ?? 0) - left.length;
    if (left.length > 0) container.volumeMounts = left;
    else delete container.volumeMounts;
  }
  const mounted = new Set(
    containersOf(spec).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)),
  );
  const unused = [...its].filter((name) => !mounted.has(name));
  const volumes = (spec.volumes ?? []).filter(({ name }) => !unused.includes(name));
  if (volumes.length > 0) spec.volumes = volumes;
  else delete spec.volumes;
  return removed + unused.length === 0 ? { template, changed: false } : { template: next, changed: true };
}

/** Finds the volume of the config, or adds one to the spec. */
function volumeFor(
  spec: PodSpec,
  request: VolumeRequest,
): { name: string } | { problem: string; remedy: string } {
  const { kind, config, volumeName } = request;
  const volumes = spec.volumes ?? [];
  const named = volumes.find(({ name }) => name === volumeName);
  if (named !== undefined) {
    if (isVolumeOf(named, request)) return named;
    return {
      problem: `the pod template has a volume ${JSON.stringify(named.name)} that is not of ${kind} ${config}`,
      remedy: 'choose another name with --name, or leave it out',
    };
  }
  // A volume with `items` holds a part of the config only.
  const whole = volumes.find((each) => isVolumeOf(each, request) && itemsOf(each).length === 0);
  if (volumeName === undefined && whole !== undefined) return whole;
  const name = volumeName ?? freeName(kind, config, new Set(volumes.map((each) => each.name)));
  const source = kind === 'ConfigMap' ? { configMap: { name: config } } : { secret: { secretName: config } };
  spec.volumes = [...volumes, { name, ...source }];
  return { name };
}

/** The name of the config as a DNS label, which the name of a volume must be. */
function freeName(kind: ConfigKind, config: string, taken: ReadonlySet<string>): string {
  const label = (text: string) => text.replaceAll('.', '-').slice(0, 55).replace(/-+$/, '');
  const names = [label(config), label(`${kind.toLowerCase()}-${config}`)];
  for (let count = 2; ; count++) {
    const free = names.find((name) => !taken.has(name));
    if (free !== undefined) return free;
    names.push(`${label(config)}-${count}`);
  }
}

function isMountOf({ volumes = [] }: PodSpec, request: VolumeRequest, mount: VolumeMount): boolean {
  return volumes.some((each) => each.name === mount.name && isVolumeOf(each, request));
}

function isVolumeOf({ configMap, secret }: Volume, { kind, names }: VolumeRequest): boolean {
  const name = kind === 'ConfigMap' ? configMap?.name : secret?.secretName;
  return name !== undefined && names.has(name);
}

function itemsOf({ configMap, secret }: Volume): unknown[] {
  return configMap?.items ?? secret?.items ?? [];
}

function selectContainers(
  spec: PodSpec,
  pattern: string,
): { containers: Container[] } | { problem: string; remedy: string } {
  const patterns = pattern.split(',').map(toRegExp);
  const all = containersOf(spec);
  const containers = all.filter(({ name }) => patterns.some((each) => each.test(name)));
  if (containers.length > 0) return { containers };
  return {
    problem: `the pod template has no container that matches ${JSON.stringify(pattern)}`,
    remedy: `its containers are ${all.map(({ name }) => name).join(', ')}`,
  };
}

function toRegExp(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join('.*')}$`);
}

function containersOf({ initContainers = [], containers = [] }: PodSpec): Container[] {
  return [...initContainers, ...containers];
}

function isSamePath(a: string, b: string): boolean {
  return withoutTrailingSlashes(a) === withoutTrailingSlashes(b);
}
