import type { PodTemplate } from '../../api/pod-template.ts';
import { namedKeys } from '../references/named-keys.ts';
import { type ConfigKind, findReferences, type Reference } from '../references/references.ts';

/** The version that is assigned to a pod. */
interface AssignedVersion {
  /** The name of the config. */
  config: string;
  version: string;
  /** The name of the object that holds the version. */
  object: string;
}

/**
 * Answers for a name in the pod's spec, which is the name of a config or of a version object. Undefined for a reference
 * that is not managed.
 */
export type Versions = (kind: ConfigKind, name: string) => AssignedVersion | undefined;

/** A managed config that the pod references. */
export interface ManagedConfig extends AssignedVersion {
  kind: ConfigKind;
  /** The keys that the spec names, when no reference takes all keys. */
  keys: { name: string; optional: boolean }[] | undefined;
  /** All references are optional. */
  optional: boolean;
}

/** The managed configs of a pod, in the order of its references. */
export class ManagedConfigs {
  readonly list: readonly ManagedConfig[];
  readonly #versions: Versions;

  constructor(pod: PodTemplate, versions: Versions) {
    this.#versions = versions;
    const found = new Map<string, { assigned: AssignedVersion; references: Reference[] }>();
    for (const reference of findReferences(pod)) {
      const assigned = versions(reference.kind, reference.name);
      if (assigned === undefined) continue;
      const key = `${reference.kind}/${assigned.config}`;
      // A pod runs one version of a config, also when its spec names several.
      const config = found.get(key) ?? { assigned, references: [] };
      config.references.push(reference);
      found.set(key, config);
    }
    this.list = [...found.values()].map(({ assigned, references }) => ({
      ...assigned,
      kind: references[0]?.kind ?? 'ConfigMap',
      keys: keysOf(pod, references),
      optional: references.every(({ optional }) => optional),
    }));
  }

  /** The index in `list`; -1 for a reference that is not managed. */
  indexOf(kind: ConfigKind, name: string | undefined): number {
    const config = name ? this.#versions(kind, name)?.config : undefined;
    return this.list.findIndex((each) => each.kind === kind && each.config === config);
  }

  /** Undefined for a reference that is not managed. */
  find(kind: ConfigKind, name: string | undefined): ManagedConfig | undefined {
    return this.list[this.indexOf(kind, name)];
  }
}

/** A key is optional when all references to it are. */
function keysOf(pod: PodTemplate, references: readonly Reference[]): ManagedConfig['keys'] {
  const keys = new Map<string, boolean>();
  for (const { pointer, optional } of references) {
    const named = namedKeys(pod, pointer);
    if (named === undefined) return undefined;
    for (const key of named) keys.set(key, optional && (keys.get(key) ?? true));
  }
  return [...keys].map(([name, optional]) => ({ name, optional }));
}
