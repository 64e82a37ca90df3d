import { annotations } from '../../api/names.ts';
import type { Container, KeyToPath, PodTemplate, Volume } from '../../api/pod-template.ts';
import { parseAssignedVersions } from './assigned-versions.ts';
import { configKey } from './config-key.ts';
import { mountedPath } from './volume-path.ts';

export type ConfigKind = 'ConfigMap' | 'Secret';

/** A field of a pod template that names a ConfigMap or Secret. */
export interface Reference {
  kind: ConfigKind;
  name: string;
  /** What the field names, where an annotation of the template assigns another object; see `templateReferences`. */
  written?: string;
  /** JSON pointer from the pod template to the field that holds the name. */
  pointer: string;
  /** How containers read the config. In a running pod, volumes are updated; env and subPath mounts are not. */
  via: 'env' | 'volume';
  /** The container that reads the config as environment variables. */
  container?: string;
  /** Keys without which the container does not start. */
  keys: string[];
  /** Set by the user: a missing object or key is not a failure. */
  optional: boolean;
}

/**
 * Returns all references of a pod or pod template in document order: volumes, projected sources, env and envFrom of
 * containers, init containers, sidecars and ephemeral containers. imagePullSecrets and credentials of storage drivers are excluded,
 * because the node uses them and not the application.
 */
export function findReferences(template: PodTemplate): Reference[] {
  const spec = template.spec ?? {};
  const containers = [
    ...at('/spec/initContainers', spec.initContainers),
    ...at('/spec/containers', spec.containers),
    ...at('/spec/ephemeralContainers', spec.ephemeralContainers),
  ];
  const mounts = mountedFiles(containers.map(({ value }) => value));
  return [
    ...at('/spec/volumes', spec.volumes).flatMap(({ pointer, value }) =>
      ofVolume(pointer, value, mounts.get(value.name) ?? []),
    ),
    ...containers.flatMap(({ pointer, value }) => ofContainer(pointer, value)),
  ];
}

/**
 * Returns the references of a pod template with the names that its pods will have: where the annotation
 * `trimtab.dev/versions` of the template assigns an object, admission writes it into each pod.
 */
export function templateReferences(template: PodTemplate): Reference[] {
  const assigned = parseAssignedVersions(template.metadata?.annotations?.[annotations.versions]);
  return findReferences(template).map((reference) => {
    const object = assigned.get(configKey(reference.kind, reference.name));
    return object === undefined ? reference : { ...reference, name: object, written: reference.name };
  });
}

/** What the field of a reference names. */
export function writtenName({ name, written }: Pick<Reference, 'name' | 'written'>): string {
  return written ?? name;
}

/** Returns a copy of the template in which each reference has the name that `rename` returns for it, if any. */
export function replaceReferences(
  template: PodTemplate,
  rename: (reference: Reference) => string | undefined,
): PodTemplate {
  const copy = structuredClone(template);
  for (const reference of findReferences(template)) {
    const name = rename(reference);
    if (name !== undefined) setAt(copy, reference.pointer, name);
  }
  return copy;
}

function ofVolume(pointer: string, volume: Volume, mounted: string[]): Reference[] {
  const { configMap, secret, projected } = volume;
  return [
    volumeSource('ConfigMap', `${pointer}/configMap/name`, configMap?.name, configMap, mounted),
    volumeSource('Secret', `${pointer}/secret/secretName`, secret?.secretName, secret, mounted),
    ...at(`${pointer}/projected/sources`, projected?.sources ?? undefined).flatMap((source) => [
      // A subPath may belong to any of several sources, so only `items` are required keys of a projected source.
      volumeSource(
        'ConfigMap',
        `${source.pointer}/configMap/name`,
        source.value.configMap?.name,
        source.value.configMap,
        [],
      ),
      volumeSource(
        'Secret',
        `${source.pointer}/secret/name`,
        source.value.secret?.name,
        source.value.secret,
        [],
      ),
    ]),
  ].flat();
}

function volumeSource(
  kind: ConfigKind,
  pointer: string,
  name: string | undefined,
  source: { items?: KeyToPath[]; optional?: boolean } | undefined,
  mounted: string[],
): Reference[] {
  if (!name || source === undefined) return [];
  const items = source.items ?? [];
  const keys = items.length > 0 ? items.map(({ key }) => key) : mounted;
  return [{ kind, name, pointer, via: 'volume', keys: unique(keys), optional: source.optional ?? false }];
}

function ofContainer(pointer: string, container: Container): Reference[] {
  const source = (...[kind, at, selector]: EnvSource) => envSource(container.name, kind, at, selector);
  const env = at(`${pointer}/env`, container.env).flatMap(({ pointer: at, value }) => [
    source('ConfigMap', `${at}/valueFrom/configMapKeyRef/name`, value.valueFrom?.configMapKeyRef),
    source('Secret', `${at}/valueFrom/secretKeyRef/name`, value.valueFrom?.secretKeyRef),
  ]);
  const envFrom = at(`${pointer}/envFrom`, container.envFrom).flatMap(({ pointer: at, value }) => [
    source('ConfigMap', `${at}/configMapRef/name`, value.configMapRef),
    source('Secret', `${at}/secretRef/name`, value.secretRef),
  ]);
  return [...env, ...envFrom].flat();
}

type EnvSource = [
  kind: ConfigKind,
  pointer: string,
  source: { name?: string; key?: string; optional?: boolean } | undefined,
];

function envSource(container: string, ...[kind, pointer, source]: EnvSource): Reference[] {
  if (!source?.name) return [];
  const keys = source.key === undefined ? [] : [source.key];
  const optional = source.optional ?? false;
  return [{ kind, name: source.name, pointer, via: 'env', container, keys, optional }];
}

/** Volume → file names that containers mount from it by subPath. Without `items`, file names are keys. */
function mountedFiles(containers: Container[]): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const mount of containers.flatMap((container) => container.volumeMounts ?? [])) {
    const [first] = mountedPath(mount).split('/');
    if (first) files.set(mount.name, [...(files.get(mount.name) ?? []), first]);
  }
  return files;
}

function at<T>(pointer: string, list: readonly T[] | undefined): { pointer: string; value: T }[] {
  return (list ?? []).map((value, index) => ({ pointer: `${pointer}/${index}`, value }));
}

function unique(keys: string[]): string[] {
  return [...new Set(keys)];
}

function setAt(root: object, pointer: string, value: string): void {
  const path = pointer.slice(1).split('/');
  const last = path.pop();
  let node: Record<string, unknown> = root as Record<string, unknown>;
  for (const segment of path) node = node[segment] as Record<string, unknown>;
  if (last !== undefined) node[last] = value;
}
