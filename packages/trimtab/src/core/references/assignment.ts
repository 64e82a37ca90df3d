import { createHash } from 'node:crypto';
import type { PodTemplate } from '../../api/pod-template.ts';
import { shortHash } from '../version/object-names.ts';
import { type ConfigKey, configKey } from './config-key.ts';
import { type ConfigKind, type Reference, replaceReferences } from './references.ts';

/** Managed config → the name that a template uses for it: a version's object, or the original. */
export type ManagedReferences = ReadonlyMap<ConfigKey, string>;

/** Answers the managed config that a name in a template stands for: itself, or the one it is a version of. */
export type ConfigOf = (kind: ConfigKind, name: string) => string | undefined;

type NamedReference = Pick<Reference, 'kind' | 'name'>;

export interface TemplateReading {
  references: ManagedReferences;
  /** Some reference names an original: the manifest as its author wrote it. */
  namesOriginal: boolean;
  /** One config, two versions in one template: nobody but a person does that. */
  mixed: boolean;
}

export function readTemplate(found: readonly NamedReference[], configOf: ConfigOf): TemplateReading {
  const references = new Map<ConfigKey, string>();
  let [namesOriginal, mixed] = [false, false];
  for (const { kind, name } of found) {
    const config = configOf(kind, name);
    if (config === undefined) continue;
    const key = configKey(kind, config);
    const before = references.get(key);
    namesOriginal ||= name === config;
    mixed ||= before !== undefined && before !== name;
    references.set(key, name);
  }
  return { references, namesOriginal, mixed: mixed };
}

/** The label's value: survives `rollout undo`, so that a template somebody else chose is told from ours. */
export function assignmentHash(references: ManagedReferences): string {
  const names = [...references].map(([key, object]) => [key, object].join(' ')).sort();
  return shortHash(names.join('\n'));
}

export type Assignment =
  /** The template names what we assigned: it may be moved. */
  | 'ours'
  /** Somebody chose other versions (undo, GitOps): shown, and left alone until the next activation. */
  | 'pinned'
  /** The template names an original (re-applied, or new): assign what this workload should run. */
  | 'unassigned'
  /** It references no managed config. */
  | 'none';

export function assignmentOf(reading: TemplateReading, label: string | undefined): Assignment {
  if (reading.references.size === 0) return 'none';
  if (reading.namesOriginal) return 'unassigned';
  return !reading.mixed && assignmentHash(reading.references) === label ? 'ours' : 'pinned';
}

/** The JSON patch operations that bring a workload to `wanted`, each guarded by the name that it replaces. */
export function assignOperations(
  found: readonly Pick<Reference, 'kind' | 'name' | 'pointer'>[],
  wanted: ManagedReferences,
  configOf: ConfigOf,
): { op: 'test' | 'replace'; path: string; value: string }[] {
  return found.flatMap((reference) => {
    const value = wantedName(reference, wanted, configOf);
    if (value === undefined || value === reference.name) return [];
    const path = `/spec/template${reference.pointer}`;
    return [
      { op: 'test' as const, path, value: reference.name },
      { op: 'replace' as const, path, value },
    ];
  });
}

/** What a reference should name; undefined for a config that is not managed. */
export function wantedName(
  { kind, name }: NamedReference,
  wanted: ManagedReferences,
  configOf: ConfigOf,
): string | undefined {
  const config = configOf(kind, name);
  return config === undefined ? undefined : wanted.get(configKey(kind, config));
}

/** Hash of a template without the names of its configs: computed once as it arrives, so that it can be let go. */
export function templateShape(template: PodTemplate): string {
  const nameless = replaceReferences(template, () => '');
  return createHash('sha256').update(JSON.stringify(nameless, sortedKeys)).digest('hex').slice(0, 32);
}

/**
 * Hash of a template without regard to which versions it names: equal for two templates that differ in
 * managed references only, so that a failure can be told from one that another change may have caused.
 */
export function templateHash(shape: string, found: readonly NamedReference[], configOf: ConfigOf): string {
  const names = found.map(({ kind, name }) => configOf(kind, name) ?? name);
  return shortHash(JSON.stringify([shape, names]));
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
