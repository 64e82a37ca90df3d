import type { PodTemplate } from '../../api/pod-template.ts';
import { type ConfigKey, configKey } from './config-key.ts';
import { type Reference, templateReferences, writtenName } from './references.ts';

/** The names that admission writes into a pod whose annotation `trimtab.dev/versions` assigns versions. */
export function assignedNames(pod: PodTemplate): Pick<Reference, 'pointer' | 'name'>[] {
  return toRewrite(pod).map(({ pointer, name }) => ({ pointer, name }));
}

/** The configs that a pod names although its annotation assigns versions of them. */
export function configsToRewrite(pod: PodTemplate): ConfigKey[] {
  return [...new Set(toRewrite(pod).map((reference) => configKey(reference.kind, writtenName(reference))))];
}

function toRewrite(pod: PodTemplate): Reference[] {
  return templateReferences(pod).filter(({ name, written }) => written !== undefined && written !== name);
}
