import type { ConfigOf } from './assignment.ts';
import { type ConfigKey, configKey } from './config-key.ts';
import { type Reference, writtenName } from './references.ts';

export interface ManagedInput {
  /** The references of the template. */
  found: readonly Pick<Reference, 'kind' | 'name' | 'written'>[];
  /** The config that a name refers to: the config of a version, or the name itself. */
  originalName: (kind: Reference['kind'], name: string) => string;
  /** The configs that are managed for the workload: it opted in, or they were managed before. */
  adopted: ReadonlySet<ConfigKey>;
  /** Whether there is a current version that the pods of the workload can use. */
  hasCurrentVersion: (config: ConfigKey) => boolean;
}

/**
 * Which references of a template are managed. A reference to a config that does not exist, cannot have versions or has
 * none yet is not managed: it stays as the user wrote it, and never keeps the others from being assigned, judged or
 * rolled back. The webhook, the reconcilers and the conditions all ask this function.
 */
export function managedReferences({ found, originalName, adopted, hasCurrentVersion }: ManagedInput): {
  configOf: ConfigOf;
  /** Adopted configs that the template names and that have no version to assign. */
  unmanaged: ConfigKey[];
} {
  const managed = new Set<ConfigKey>();
  const unmanaged = new Set<ConfigKey>();
  for (const reference of found) {
    const { kind, name } = reference;
    const config = originalName(kind, writtenName(reference));
    const key = configKey(kind, config);
    if (!adopted.has(key)) continue;
    // A template that names a version of a config shows that the config has versions.
    if (name !== config || hasCurrentVersion(key)) managed.add(key);
    else unmanaged.add(key);
  }
  return {
    configOf: (kind, name) => {
      const config = originalName(kind, name);
      return managed.has(configKey(kind, config)) ? config : undefined;
    },
    unmanaged: [...unmanaged].filter((key) => !managed.has(key)),
  };
}
