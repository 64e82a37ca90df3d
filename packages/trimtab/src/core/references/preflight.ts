import type { ConfigContent } from '../version/content-hash.ts';
import { type ConfigKey, configKey } from './config-key.ts';
import type { ConfigKind, Reference } from './references.ts';

export interface MissingKeys {
  kind: ConfigKind;
  name: string;
  keys: string[];
}

/**
 * Returns keys that a pod template references and the new content lacks. Such a pod could never start, so the
 * activation is refused before any pod is touched. References that the user marked optional are skipped.
 */
export function missingKeys(
  references: readonly Reference[],
  contentOf: (reference: Reference) => ConfigContent | undefined,
): MissingKeys[] {
  const missing = new Map<ConfigKey, MissingKeys>();
  for (const reference of references.filter(({ optional }) => !optional)) {
    const content = contentOf(reference);
    if (content === undefined) continue;
    const lacking = reference.keys.filter((each) => !hasKey(content, each));
    if (lacking.length === 0) continue;
    const { kind, name } = reference;
    const key = configKey(kind, name);
    const entry = missing.get(key) ?? { kind, name, keys: [] };
    missing.set(key, { ...entry, keys: [...new Set([...entry.keys, ...lacking])] });
  }
  return [...missing.values()];
}

/**
 * Splits missing keys into those that stop an activation and those that are only worth a warning: keys that the current
 * version lacks, too, and keys of a workload without pods. `currentHas` is undefined when there is no current version.
 */
export function splitMissingKeys(
  keys: readonly string[],
  hasPods: boolean,
  currentHas: ((key: string) => boolean) | undefined,
): { fatal: string[]; tolerated: string[] } {
  const isFatal = (key: string) => hasPods && (currentHas === undefined || currentHas(key));
  return { fatal: keys.filter(isFatal), tolerated: keys.filter((key) => !isFatal(key)) };
}

function hasKey(content: ConfigContent, key: string): boolean {
  return Object.hasOwn(content.data ?? {}, key) || Object.hasOwn(content.binaryData ?? {}, key);
}
