import { annotations } from '../../api/names.ts';
import { readAssignedVersions } from '../references/assigned-versions.ts';
import type { ManagedReferences } from '../references/assignment.ts';
import { type ConfigKey, configName, readConfigKey } from '../references/config-key.ts';
import type { ConfigKind } from '../references/references.ts';
import type { Parsed } from './opt-in.ts';

/** What a workload with the annotation `trimtab.dev/pin` keeps. */
export interface Pin {
  /** The object to keep for each managed config of the workload. */
  references: ManagedReferences;
  /** What is wrong with the annotation. Where it is not valid, the workload keeps what it has. */
  problems: readonly string[];
}

/** Returns the config that an object is a version of; undefined when the object is not a version. */
export type VersionOf = (kind: ConfigKind, object: string) => string | undefined;

/** `trimtab.dev/pin` of a workload: version objects by config, such as `configmap/foo=foo-abcdefghij`. */
export function parsePin(all: Readonly<Record<string, string>>): Parsed<ManagedReferences | undefined> {
  const text = all[annotations.pin];
  if (text === undefined) return { value: undefined };
  const value = readAssignedVersions(text);
  if (value !== undefined) return { value };
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return {
    problem: `Annotation ${annotations.pin} has the value "${shown}", which is not valid: must be version objects by config, such as configmap/foo=foo-abcdefghij,secret/bar=bar-klmnopqrst`,
  };
}

/**
 * Returns what a pinned workload keeps; undefined when it has no pin. `current` is assigned where the template names a
 * config itself and the pin does not say what to keep.
 */
export function readPin(
  all: Readonly<Record<string, string>>,
  { references, current }: { references: ManagedReferences; current: ManagedReferences },
  versionOf: VersionOf,
): Pin | undefined {
  const parsed = parsePin(all);
  if ('value' in parsed && parsed.value === undefined) return undefined;
  const { valid, problems } = checkPin(parsed, versionOf);
  const kept = (config: ConfigKey, object: string) =>
    valid.get(config) ?? (object === configName(config) ? (current.get(config) ?? object) : object);
  return {
    references: new Map([...references].map(([config, object]) => [config, kept(config, object)])),
    problems,
  };
}

/** The entries of a pin that name a version of their config, and what is wrong with the others. */
export function checkPin(
  parsed: ReturnType<typeof parsePin>,
  versionOf: VersionOf,
): { valid: ManagedReferences; problems: string[] } {
  if ('problem' in parsed) return { valid: new Map(), problems: [parsed.problem] };
  const entries = [...(parsed.value ?? [])];
  const isValid = ([config, object]: [ConfigKey, string]) => {
    const { kind, name } = readConfigKey(config);
    return versionOf(kind, object) === name;
  };
  return {
    valid: new Map(entries.filter(isValid)),
    problems: entries
      .filter((entry) => !isValid(entry))
      .map(
        ([config, object]) =>
          `Annotation ${annotations.pin} names "${object}", which is not a version of ${config}`,
      ),
  };
}
