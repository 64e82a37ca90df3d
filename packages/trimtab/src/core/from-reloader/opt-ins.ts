import type { ConfigKind } from '../references/references.ts';
import type { ConfigId, Management } from '../workload/opt-in.ts';
import { entriesOf, keysFor, readBoolean, reloaderKeys } from './annotations.ts';
import { parseNameList } from './name-list.ts';

type Annotations = Readonly<Record<string, string>>;

/** The annotations of a workload and of its pod template. Reloader reads both. */
export interface AnnotatedWorkload {
  annotations: Annotations;
  templateAnnotations: Annotations;
}

/** What the opt-ins of Reloader depend on in a config. */
export interface AnnotatedConfig {
  annotations: Annotations;
  /** Whether the controller reads opt-ins of Reloader for this config. */
  isForReloader: boolean;
}

/** Returns a config; undefined when it does not exist. */
export type ConfigLookup = (kind: ConfigKind, name: string) => AnnotatedConfig | undefined;

/**
 * Translates the annotations of Reloader into an opt-in. `references` are the configs that the pod template references:
 * Trimtab updates a workload for no others.
 */
export function reloaderManagement(
  workload: AnnotatedWorkload,
  references: readonly ConfigId[],
  config: ConfigLookup,
): Management {
  const wants = {
    ConfigMap: optInsFor('ConfigMap', workload, references),
    Secret: optInsFor('Secret', workload, references),
  };
  const configs = references.filter(({ kind, name }) => {
    const found = config(kind, name);
    return isManageable(found) && wants[kind](name, found);
  });
  return configs.length === 0
    ? { mode: 'unsaid' }
    : { mode: 'some', configs: configs.map(({ kind, name }) => ({ kind, name })) };
}

/** A config that does not exist yet is managed as soon as it exists and nothing is against it. */
function isManageable(config: ReturnType<ConfigLookup>): boolean {
  if (config === undefined) return true;
  // Any other value than "false" may have been meant as "true".
  return (
    config.isForReloader && [undefined, 'false'].includes(config.annotations[reloaderKeys.ignore]?.trim())
  );
}

/** Returns a function that tells whether the workload opts in for a config. The annotations are parsed once. */
function optInsFor(
  kind: ConfigKind,
  workload: AnnotatedWorkload,
  references: readonly ConfigId[],
): (name: string, config: AnnotatedConfig | undefined) => boolean {
  const keys = keysFor(kind);
  const read = annotationsFor(kind, workload);
  const isSet = (key: string) => readBoolean(read[key]?.trim() ?? '') === true;
  const isAuto = isSet(reloaderKeys.auto) || isSet(keys.auto);
  const isSearch = read[reloaderKeys.search]?.trim() === 'true';
  const excluded = excludedNames(kind, workload);
  const list = parseNameList(read[keys.reload], namesOf(kind, references));
  return (name, config) => {
    if (excluded.has(name)) return false;
    if (isAuto || ('value' in list && list.value.some(({ matches }) => matches?.(name)))) return true;
    return isSearch && config?.annotations[reloaderKeys.match]?.trim() === 'true';
  };
}

/**
 * An exclusion counts wherever it is: a config that is not managed can still be opted in. Its length has no limit, because
 * names are looked up, and a config that was to be excluded must not be managed.
 */
function excludedNames(
  kind: ConfigKind,
  { annotations, templateAnnotations }: AnnotatedWorkload,
): ReadonlySet<string> {
  const { exclude } = keysFor(kind);
  return new Set([annotations, templateAnnotations].flatMap((each) => entriesOf(each[exclude])));
}

export function namesOf(kind: ConfigKind, references: readonly ConfigId[]): string[] {
  return references.filter((each) => each.kind === kind).map(({ name }) => name);
}

/** Like Reloader, reads the pod template for a kind of which the workload itself says nothing. */
export function annotationsFor(
  kind: ConfigKind,
  { annotations, templateAnnotations }: AnnotatedWorkload,
): Annotations {
  const { auto, reload } = keysFor(kind);
  const optIns = [auto, reload, reloaderKeys.auto, reloaderKeys.search];
  return optIns.some((key) => annotations[key] !== undefined) ? annotations : templateAnnotations;
}
