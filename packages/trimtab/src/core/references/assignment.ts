import { createHash } from 'node:crypto';
import type { Container, PodSpec, PodTemplate } from '../../api/pod-template.ts';
import { shortHash } from '../version/object-names.ts';
import { type ConfigKey, configKey } from './config-key.ts';
import { type ConfigKind, type Reference, replaceReferences, writtenName } from './references.ts';

/** Managed config → the object that a template references for it: a version, or the config itself. */
export type ManagedReferences = ReadonlyMap<ConfigKey, string>;

/** Returns the managed config that a name in a template refers to, directly or through one of its versions. */
export type ConfigOf = (kind: ConfigKind, name: string) => string | undefined;

type NamedReference = Pick<Reference, 'kind' | 'name' | 'written'>;

export interface TemplateReading {
  references: ManagedReferences;
  /** Configs that a reference names themselves, as the author of the manifest wrote it. */
  originals: ReadonlySet<ConfigKey>;
  /** The template references two versions of one config, which Trimtab never assigns. */
  mixed: boolean;
}

export function readTemplate(found: readonly NamedReference[], configOf: ConfigOf): TemplateReading {
  const references = new Map<ConfigKey, string>();
  const originals = new Set<ConfigKey>();
  let mixed = false;
  for (const reference of found) {
    const { kind, name } = reference;
    const config = configOf(kind, writtenName(reference));
    if (config === undefined) continue;
    const key = configKey(kind, config);
    const before = references.get(key);
    if (name === config) originals.add(key);
    mixed ||= before !== undefined && before !== name;
    references.set(key, name);
  }
  return { references, originals, mixed };
}

/**
 * The value of the label `trimtab.dev/assigned`. The label survives `kubectl rollout undo`, so it no longer matches a
 * template that another client chose.
 */
export function assignmentHash(references: ManagedReferences): string {
  const names = [...references].map(([key, object]) => [key, object].join(' ')).sort();
  return shortHash(names.join('\n'));
}

export type Assignment =
  /** The template references what Trimtab assigned; the workload may be moved. */
  | 'ours'
  /** Another client chose other versions (undo, GitOps): reported, and not changed until the next activation. */
  | 'pinned'
  /** The template names a config itself (re-applied or new manifest): Trimtab assigns the versions to run. */
  | 'unassigned'
  /** The template references no managed config. */
  | 'none';

export function assignmentOf(reading: TemplateReading, label: string | undefined): Assignment {
  if (reading.references.size === 0) return 'none';
  if (reading.originals.size > 0) return 'unassigned';
  return !reading.mixed && assignmentHash(reading.references) === label ? 'ours' : 'pinned';
}

/** Returns JSON patch operations that write `wanted` into a template, each preceded by a test of the old name. */
export function assignOperations(
  found: readonly (NamedReference & Pick<Reference, 'pointer'>)[],
  wanted: ManagedReferences,
  configOf: ConfigOf,
): { op: 'test' | 'replace'; path: string; value: string }[] {
  return found.flatMap((reference) => {
    const value = wantedName(reference, wanted, configOf);
    const written = writtenName(reference);
    if (value === undefined || value === written) return [];
    const path = `/spec/template${reference.pointer}`;
    return [
      { op: 'test' as const, path, value: written },
      { op: 'replace' as const, path, value },
    ];
  });
}

/** Returns the object that a reference should name; undefined for a config that is not managed. */
export function wantedName(
  reference: NamedReference,
  wanted: ManagedReferences,
  configOf: ConfigOf,
): string | undefined {
  const config = configOf(reference.kind, writtenName(reference));
  return config === undefined ? undefined : wanted.get(configKey(reference.kind, config));
}

/** Fields of a pod that decide where it runs and how it ends, and not what its containers run with. */
const placement = new Set([
  'affinity',
  'nodeSelector',
  'preemptionPolicy',
  'priority',
  'priorityClassName',
  'schedulerName',
  'schedulingGates',
  'terminationGracePeriodSeconds',
  'tolerations',
  'topologySpreadConstraints',
]);

/**
 * Variables that only stamp a template, so that its pods are replaced when a config changes: `trimtab stamp`, and Reloader
 * (`STAKATER_FOO_CONFIGMAP`). Their values change nothing in what a container does.
 */
const stamp = /^(configMapVersion|STAKATER_[A-Z0-9_]+)$/;

function withoutStamps(spec: PodTemplate['spec']): Pick<PodSpec, 'containers' | 'initContainers'> {
  const clean = (containers: readonly Container[]) =>
    containers.map(({ env, ...container }) => {
      const kept = env?.filter(({ name }) => !stamp.test(name)) ?? [];
      return kept.length > 0 ? { ...container, env: kept } : container;
    });
  return {
    ...(spec?.containers && { containers: clean(spec.containers) }),
    ...(spec?.initContainers && { initContainers: clean(spec.initContainers) }),
  };
}

/**
 * Hash of what the containers of a template run with, without the names of their configs. Labels, annotations and variables
 * that only stamp the template (`checksum/config`, `restartedAt`, `configMapVersion`) are not part of it. Computed on arrival, so the template need not be kept.
 */
export function templateShape(template: PodTemplate): string {
  const { spec } = replaceReferences(template, () => '');
  const fields = Object.entries({ ...spec, ...withoutStamps(spec) }).filter(
    ([field]) => !placement.has(field),
  );
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(fields), sortedKeys))
    .digest('hex')
    .slice(0, 32);
}

/**
 * Hash of a template that ignores which versions it references. A different hash means that the template changed in
 * other ways, so a failure may not be caused by the config.
 */
export function templateHash(shape: string, found: readonly NamedReference[], configOf: ConfigOf): string {
  const names = found.map((each) => configOf(each.kind, writtenName(each)) ?? writtenName(each));
  return shortHash(JSON.stringify([shape, names]));
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
