import { annotations, labels } from '../api/names.ts';
import { parseAssignedVersions } from '../core/references/assigned-versions.ts';
import { type ConfigKey, configKey, readConfigKey } from '../core/references/config-key.ts';
import { templateReferences } from '../core/references/references.ts';
import type { ConfigId } from '../core/workload/opt-in.ts';
import type { PlannedObject } from './activation-plan.ts';
import type { AdoptionPlanInput } from './adoption-plan.ts';
import { templateOf } from './workload-warnings.ts';

/** A config of a workload, with the version that the workload is assigned. */
export interface AssignedConfig extends ConfigId {
  /** Object and name of the version; undefined while the pod template names the config itself. */
  assigned?: { object: string; version: string };
}

/**
 * The configs that a workload uses, each once. Its pod template assigns a version, or its annotation does (reload).
 */
export function assignedConfigs(
  { configOf }: Pick<AdoptionPlanInput, 'configOf'>,
  workload: PlannedObject,
): AssignedConfig[] {
  const { namespace = '', annotations: its = {} } = workload.metadata;
  const reloaded = parseAssignedVersions(its[annotations.versions]);
  const found = new Map<ConfigKey, AssignedConfig>();
  for (const { kind, name } of templateReferences(templateOf(workload))) {
    const config = versionMarks(kind, name)?.[annotations.config];
    if (config !== undefined) set({ kind, name: config }, name);
    else if (!found.has(configKey(kind, name))) set({ kind, name }, reloaded.get(configKey(kind, name)));
  }
  for (const [key, object] of reloaded) if (!found.has(key)) set(readConfigKey(key), object);
  return [...found.values()];

  function versionMarks(kind: ConfigId['kind'], name: string): Record<string, string> | undefined {
    const known = configOf(namespace, { kind, name });
    const isVersion = typeof known === 'object' && known.metadata.labels?.[labels.versionOf] !== undefined;
    return isVersion ? known.metadata.annotations : undefined;
  }

  function set(config: ConfigId, object: string | undefined): void {
    const version =
      object === undefined ? undefined : (versionMarks(config.kind, object)?.[annotations.version] ?? object);
    found.set(configKey(config.kind, config.name), {
      ...config,
      ...(object !== undefined && version !== undefined && { assigned: { object, version } }),
    });
  }
}
