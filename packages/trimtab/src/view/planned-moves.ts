import type { ConfigRollout } from '../api/config-rollout.ts';
import { annotations } from '../api/names.ts';
import { currentVersion } from '../core/activation/current-version.ts';
import { candidateVersion, runningActivation, versionRef } from '../core/activation/observed-versions.ts';
import { workloadState } from '../core/activation/observed-workload.ts';
import { type Preview, previewActivation } from '../core/activation/preview.ts';
import type { RolloutState } from '../core/activation/rollout-state.ts';
import type { VersionRef, WorkloadState } from '../core/activation/types.ts';
import { type ConfigKey, configKey } from '../core/references/config-key.ts';
import { managedReferences } from '../core/references/managed-references.ts';
import { deliveryMode } from '../core/reload/delivery-mode.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import { managedWorkloads } from '../core/workload/managed-workloads.ts';
import { parseManage } from '../core/workload/opt-in.ts';
import type { VersionOf } from '../core/workload/pin.ts';
import { workload as reduceWorkload, type Workload } from '../core/workload/reduce-workload.ts';
import { type WorkloadKey, workloadKey } from '../core/workload/workload-key.ts';
import type { PlanInput } from './activation-plan.ts';

export interface PlannedMoves extends Preview {
  workloads: ReadonlyMap<WorkloadKey, WorkloadState>;
}

/** Builds what the controller observes from what the caller may read, and asks its planner. */
export function plannedMoves(input: PlanInput, versionOf: VersionOf): PlannedMoves {
  const { rollout, others, target, current, versions } = input;
  const known = [target.version, ...(current ? [current.version] : [])];
  const own = [...known, ...versionsOf(rollout, versions).filter((each) => !isAmong(each, known))];
  const asked = requestedState(rollout, own, target.version, current?.version);
  const rollouts = [
    { rollout, state: asked },
    ...others.map((other) => ({ rollout: other, state: stayingState(other, versionsOf(other, versions)) })),
  ];
  const currents = new Map(
    rollouts.flatMap(({ state }) => (state.current ? [[state.config, state.current.object] as const] : [])),
  );
  const adopted = new Map<string, Set<ConfigKey>>();
  for (const each of rollouts)
    for (const key of managedWorkloads(each.rollout))
      adopted.set(key, (adopted.get(key) ?? new Set()).add(each.state.config));
  const workloads = input.workloads.flatMap((object) => {
    const workload = reduceWorkload(object.kind)(object);
    const configs = adopted.get(workloadKey(workload.kind, workload.name));
    if (configs === undefined || workload.deleting || hasOptedOut(workload)) return [];
    return [stateOfWorkload(workload, configs, currents, versionOf)];
  });
  const [, ...neighbours] = rollouts.map(({ state }) => state);
  const preview = previewActivation(asked, neighbours, workloads);
  return { ...preview, workloads: new Map(workloads.map((each) => [each.key, each])) };
}

function stateOfWorkload(
  workload: Workload,
  adopted: ReadonlySet<ConfigKey>,
  current: ReadonlyMap<ConfigKey, string>,
  versionOf: VersionOf,
): WorkloadState {
  const { configOf } = managedReferences({
    found: workload.references,
    originalName: (kind, name) => versionOf(kind, name) ?? name,
    adopted,
    hasCurrentVersion: (config) => current.has(config),
  });
  const { annotations: its, templateAnnotations } = workload;
  // The controller assigns versions in this annotation when it reloads the pods of a workload.
  const isReloaded = annotations.versions in its && deliveryMode(its, templateAnnotations) === 'reload';
  return workloadState({ workload, configOf, current, isReloaded, versionOf, pods: [] });
}

/** The state once the version is requested: a person asks for it, so that an earlier rejection does not count. */
function requestedState(
  rollout: ConfigRollout,
  versions: readonly VersionMetadata[],
  target: VersionMetadata,
  current: VersionMetadata | undefined,
): RolloutState {
  const isCurrent = target.object === current?.object;
  return {
    ...rolloutState(rollout, versions, current && versionRef(candidateVersion(current))),
    newRequest: true,
    intent: isCurrent
      ? { want: 'stay' }
      : { want: 'version', version: target, because: 'spec', clearSpecVersion: false },
  };
}

/** A neighbour: its activation in progress counts. What else it may want is not known before it begins. */
function stayingState(rollout: ConfigRollout, versions: readonly VersionMetadata[]): RolloutState {
  const found = currentVersion(versions.map(candidateVersion), rollout.status).version;
  const state = rolloutState(rollout, versions, found && versionRef(found));
  // While the content is not known, an activation in progress goes on.
  return { ...state, intent: state.running ? { want: 'wait for content' } : { want: 'stay' } };
}

function rolloutState(
  { spec, status }: ConfigRollout,
  versions: readonly VersionMetadata[],
  current: VersionRef | undefined,
): Omit<RolloutState, 'intent'> {
  const { strategy } = spec;
  return {
    config: configKey(spec.config.kind, spec.config.name),
    versions: versions.map(candidateVersion),
    current,
    newRequest: false,
    coalescing: false,
    tooEarly: false,
    preflight: undefined,
    running: runningActivation(status, current, versions),
    rules: {
      bakeMs: strategy.bakeSeconds * 1000,
      progressDeadlineMs: strategy.progressDeadlineSeconds * 1000,
      maxRestarts: strategy.maxRestarts,
      onFailure: strategy.onFailure,
      ackTimeoutMs: strategy.ackTimeoutSeconds * 1000,
      paused: spec.paused === true,
    },
  };
}

function versionsOf({ metadata }: ConfigRollout, versions: readonly VersionMetadata[]): VersionMetadata[] {
  return versions.filter(({ rolloutUid }) => rolloutUid === metadata.uid);
}

function isAmong({ object }: VersionMetadata, others: readonly VersionMetadata[]): boolean {
  return others.some((each) => each.object === object);
}

function hasOptedOut({ annotations: its }: Pick<Workload, 'annotations'>): boolean {
  const manage = parseManage(its);
  return 'value' in manage && manage.value.mode === 'none';
}
