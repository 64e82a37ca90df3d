import type { ManagedReferences } from './assignment.ts';
import { type ConfigKey, configKey, readConfigKey } from './config-key.ts';
import type { ConfigKind } from './references.ts';

const name = '[a-z0-9]([-a-z0-9.]*[a-z0-9])?';
const entryPattern = `(configmap|secret)/${name}=${name}`;
const validEntry = new RegExp(`^${entryPattern}$`);

/** A regular expression of valid texts, for policies. That no config is named twice is another check. */
export const assignedVersionsPattern = `^${entryPattern}(,${entryPattern})*$`;

/**
 * Formats which object stands for which config, such as `configmap/foo=foo-abcdefghij,secret/bar=bar-klmnopqrst`: the
 * format of the annotations `trimtab.dev/versions` and `trimtab.dev/pin`. Policies read it in CEL, which has no JSON.
 */
export function formatAssignedVersions(references: ManagedReferences): string {
  return [...references]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([config, object]) => {
      const { kind, name } = readConfigKey(config);
      return `${kind.toLowerCase()}/${name}=${object}`;
    })
    .join(',');
}

/** Returns undefined when the text is not valid: it is empty, or it names a config twice. */
export function readAssignedVersions(text: string): ManagedReferences | undefined {
  const entries = text.split(',').map((part): [ConfigKey, string] | undefined => {
    if (!validEntry.test(part)) return undefined;
    const [kind, config = '', object = ''] = part.split(/[/=]/);
    return [configKey(kind === 'secret' ? 'Secret' : 'ConfigMap', config), object];
  });
  const valid = entries.filter((each) => each !== undefined);
  const references = new Map(valid);
  return references.size === entries.length ? references : undefined;
}

/** Returns an empty map when the annotation is missing or not valid. */
export function parseAssignedVersions(text: string | undefined): ManagedReferences {
  return (text === undefined ? undefined : readAssignedVersions(text)) ?? new Map();
}

/** The version objects that the annotation names. */
export function assignedObjects(text: string | undefined): { kind: ConfigKind; name: string }[] {
  return [...parseAssignedVersions(text)].map(([key, name]) => ({ kind: readConfigKey(key).kind, name }));
}
