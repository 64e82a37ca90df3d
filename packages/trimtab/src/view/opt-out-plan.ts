import type { ConfigRollout } from '../api/config-rollout.ts';
import { configKey } from '../core/references/config-key.ts';
import { managedWorkloads } from '../core/workload/managed-workloads.ts';
import { type ConfigId, formatManage, parseManage } from '../core/workload/opt-in.ts';
import { type OptOutInput, optOutObstacle } from '../core/workload/opt-out-obstacle.ts';
import { workloadKey } from '../core/workload/workload-key.ts';
import { type PlannedObject, podsOf } from './activation-plan.ts';
import type { AdoptionPlanInput } from './adoption-plan.ts';
import { type AssignedConfig, assignedConfigs } from './assigned-configs.ts';

export interface OptOutPlanInput extends Pick<AdoptionPlanInput, 'configOf' | 'rollouts'> {
  versionsOf(namespace: string, config: ConfigId): OptOutInput['versions'];
  /** The hash of the live content; undefined when the caller may not read the config. */
  liveHash(config: ConfigId): string | undefined;
}

export interface OptOutPlan {
  /** The configs whose management ends for the workload. */
  configs: AssignedConfig[];
  /** The new value of the annotation `trimtab.dev/manage`. */
  manage: string;
  /** Whether the pods are replaced, because they run a version. */
  rolls: boolean;
  pods: number;
  /** Why the references are not set back now. The opt-out is recorded, and takes effect when the reason is gone. */
  obstacles: string[];
  /** Configs that stay managed for the workload, because it is their owner. */
  owned: ConfigId[];
}

/** Plans the end of the management of a workload: of all its configs, or of those that `ends` selects. */
export function planOptOut(
  input: OptOutPlanInput,
  workload: PlannedObject,
  ends: ((config: ConfigId) => boolean) | 'all',
): OptOutPlan {
  const { namespace = '' } = workload.metadata;
  const managed = managedConfigs(input, workload);
  const configs = ends === 'all' ? managed : managed.filter(ends);
  const moved = configs.filter(({ assigned }) => assigned !== undefined);
  const manage = ends === 'all' ? 'false' : formatManage(remaining(input, workload, ends));
  return {
    configs,
    manage,
    rolls: moved.length > 0,
    pods: podsOf(workload),
    obstacles: moved.flatMap(({ kind, name }) => {
      const config = { kind, name };
      const hash = input.liveHash(config);
      const isMissing = input.configOf(namespace, config) === 'missing';
      if (hash === undefined && !isMissing) return [];
      return (
        optOutObstacle({
          config,
          live: isMissing ? 'missing' : { hash },
          versions: input.versionsOf(namespace, config),
          rollout: rolloutOf(input, namespace, config),
        }) ?? []
      );
    }),
    owned: manage === 'false' ? [] : configs.filter((config) => isOwner(input, workload, config)),
  };
}

/** The configs that are managed for a workload: it opts in to them, it is their owner, or it was recorded before. */
export function managedConfigs(
  input: Pick<OptOutPlanInput, 'configOf' | 'rollouts'>,
  workload: PlannedObject,
): AssignedConfig[] {
  const { namespace = '' } = workload.metadata;
  const key = workloadKey(workload.kind, workload.metadata.name ?? '');
  return assignedConfigs(input, workload).filter((config) => {
    const rollout = rolloutOf(input, namespace, config);
    return (
      config.assigned !== undefined || (rollout !== undefined && managedWorkloads(rollout).includes(key))
    );
  });
}

/** The configs that the annotation lists afterwards. */
function remaining(
  input: Pick<OptOutPlanInput, 'configOf' | 'rollouts'>,
  workload: PlannedObject,
  ends: (config: ConfigId) => boolean,
): ConfigId[] {
  const manage = parseManage(workload.metadata.annotations);
  const value = 'value' in manage ? manage.value : { mode: 'unsaid' as const };
  if (value.mode === 'none') return [];
  const now =
    value.mode === 'some'
      ? value.configs
      : value.mode === 'all'
        ? assignedConfigs(input, workload)
        : managedConfigs(input, workload);
  return now.filter((config) => !ends(config));
}

function isOwner(
  { configOf }: Pick<OptOutPlanInput, 'configOf'>,
  { metadata }: PlannedObject,
  config: ConfigId,
) {
  const known = configOf(metadata.namespace ?? '', config);
  const owners = typeof known === 'object' ? (known.metadata.ownerReferences ?? []) : [];
  return owners.some(({ uid }) => uid === metadata.uid);
}

function rolloutOf(
  { rollouts }: Pick<OptOutPlanInput, 'rollouts'>,
  namespace: string,
  { kind, name }: ConfigId,
): ConfigRollout | undefined {
  const wanted = configKey(kind, name);
  return rollouts.find(
    ({ metadata, spec }) =>
      metadata.namespace === namespace && configKey(spec.config.kind, spec.config.name) === wanted,
  );
}

/** Whether a workload manages the config, or would do so again when its ConfigRollout is deleted. */
export function optsInTo(
  input: Pick<OptOutPlanInput, 'configOf' | 'rollouts'>,
  workload: PlannedObject,
  config: ConfigId,
): boolean {
  const isIt = (each: ConfigId) => each.kind === config.kind && each.name === config.name;
  const manage = parseManage(workload.metadata.annotations);
  const mode = 'value' in manage ? manage.value : { mode: 'unsaid' as const };
  if (managedConfigs(input, workload).some(isIt)) return true;
  if (mode.mode === 'none' || !assignedConfigs(input, workload).some(isIt)) return false;
  if (mode.mode === 'all' || isOwner(input, workload, config)) return true;
  return mode.mode === 'some' && mode.configs.some(isIt);
}
