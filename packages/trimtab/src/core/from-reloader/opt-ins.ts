import type { ConfigKind } from '../references/references.ts';
import type { ConfigId, Management } from '../workload/opt-in.ts';
import { entriesOf, keysFor, readBoolean, reloaderKeys } from './annotations.ts';
import { namePattern } from './name-pattern.ts';

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
  const configs = references.filter(
    (each) => isManageable(config(each.kind, each.name)) && wants(workload, each, config),
  );
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

function wants(workload: AnnotatedWorkload, { kind, name }: ConfigId, config: ConfigLookup): boolean {
  if (isExcluded(workload, kind, name)) return false;
  const read = annotationsFor(kind, workload);
  const keys = keysFor(kind);
  const isSet = (key: string) => readBoolean(read[key]?.trim() ?? '') === true;
  if (isSet(reloaderKeys.auto) || isSet(keys.auto)) return true;
  if (entriesOf(read[keys.reload]).some((entry) => namePattern(entry)?.(name))) return true;
  const isMatch = config(kind, name)?.annotations[reloaderKeys.match]?.trim() === 'true';
  return isMatch && read[reloaderKeys.search]?.trim() === 'true';
}

/** An exclusion counts wherever it is: a config that is not managed can still be opted in. */
function isExcluded({ annotations, templateAnnotations }: AnnotatedWorkload, kind: ConfigKind, name: string) {
  const { exclude } = keysFor(kind);
  return [annotations, templateAnnotations].some((each) => entriesOf(each[exclude]).includes(name));
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
