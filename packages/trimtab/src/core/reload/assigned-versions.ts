import type { ManagedReferences } from '../references/assignment.ts';
import { type ConfigKey, readConfigKey } from '../references/config-key.ts';

/** Formats the annotation `trimtab.dev/versions` of a workload whose pods are reloaded. */
export function formatAssignedVersions(references: ManagedReferences): string {
  return JSON.stringify(Object.fromEntries([...references].sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Returns an empty map when the annotation is missing or damaged; the versions are then assigned again. */
export function parseAssignedVersions(text: string | undefined): ManagedReferences {
  if (text === undefined) return new Map();
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return new Map();
    return new Map(
      Object.entries(parsed).filter((entry): entry is [ConfigKey, string] => {
        const [key, object] = entry;
        return /^(ConfigMap|Secret)\/./.test(key) && typeof object === 'string';
      }),
    );
  } catch {
    return new Map();
  }
}

/** The version objects that the annotation names. */
export function assignedObjects(
  text: string | undefined,
): { kind: ReturnType<typeof readConfigKey>['kind']; name: string }[] {
  return [...parseAssignedVersions(text)].map(([key, name]) => ({ kind: readConfigKey(key).kind, name }));
}
