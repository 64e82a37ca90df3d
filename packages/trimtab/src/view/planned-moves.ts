import type { ConfigBody } from '../api/config-body.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { annotations } from '../api/names.ts';
import { activationRules } from '../core/activation/activation-rules.ts';
import { currentVersion } from '../core/activation/current-version.ts';
import { candidateVersion, runningActivation, versionRef } from '../core/activation/observed-versions.ts';
import { workloadState } from '../core/activation/observed-workload.ts';
import { type Preview, previewActivation } from '../core/activation/preview.ts';
import { preflightReasons, type RolloutState } from '../core/activation/rollout-state.ts';
import { tooEarlyMs } from '../core/activation/too-early.ts';
import type { VersionRef, WorkloadState } from '../core/activation/types.ts';
import { type ConfigKey, configKey, readConfigKey } from '../core/references/config-key.ts';
import { managedReferences } from '../core/references/managed-references.ts';
import { type ConfigKind, writtenName } from '../core/references/references.ts';
import { deliveryMode } from '../core/reload/delivery-mode.ts';
import { contentHash } from '../core/version/content-hash.ts';
import { intent, isNewRequest, isRetry, type LiveConfig } from '../core/version/intent.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import { managedWorkloads } from '../core/workload/managed-workloads.ts';
import { isMountable } from '../core/workload/mountable-secrets.ts';
import { type OptOutInput, optOutObstacle } from '../core/workload/opt-out-obstacle.ts';
import {
  hasOptedOut,
  mayReplacePods,
  type OptOutContext,
  optOutObstacles,
} from '../core/workload/opt-out-waits.ts';
import type { VersionOf } from '../core/workload/pin.ts';
import { workload as reduceWorkload, type Workload } from '../core/workload/reduce-workload.ts';
import { rolloutsInGroup } from '../core/workload/rollouts-in-group.ts';
import { type WorkloadKey, workloadKey } from '../core/workload/workload-key.ts';
import type { PlanInput } from './activation-plan.ts';

export interface PlannedMoves extends Preview {
  /** Those of the config and of the configs that share workloads with it. */
  workloads: ReadonlyMap<WorkloadKey, WorkloadState>;
  /** The requested state of the rollout. */
  requested: RolloutState;
  /** Workloads that have opted out and are updated until they are set back, and why that waits. */
  optOutWaits: ReadonlyMap<WorkloadKey, readonly string[]>;
}

/** Builds what the controller observes from what the caller may read, and asks its planner. */
export function plannedMoves(input: PlanInput, versionOf: VersionOf): PlannedMoves {
  const { rollout, others, target, current } = input;
  const known = [target.version, ...(current ? [current.version] : [])];
  const versions = [...known, ...input.versions.filter((each) => !isAmong(each, known))];
  // The controller plans a group at once, and releases a rollout that is being deleted from it.
  const neighbours = rolloutsInGroup(rollout, others).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  const ofTarget = [...known, ...versionsOf(rollout, versions).filter((each) => !isAmong(each, known))];
  const requested = requestedState(rollout, ofTarget, target.version, current?.version);
  const rollouts = [
    { rollout, state: requested },
    ...neighbours.map((other) => ({
      rollout: other,
      state: observedState(input, other, versionsOf(other, versions)),
    })),
  ];
  const currents = new Map(
    rollouts.flatMap(({ state }) => (state.current ? [[state.config, state.current.object] as const] : [])),
  );
  const adopted = new Map<string, Set<ConfigKey>>();
  for (const each of rollouts)
    for (const key of managedWorkloads(each.rollout))
      adopted.set(key, (adopted.get(key) ?? new Set()).add(each.state.config));
  const optOut = (before: ReadonlySet<ConfigKey>): OptOutContext => ({
    originalName: (kind, name) => versionOf(kind, name) ?? name,
    before,
    obstacleTo: (config) => obstacleTo(input, versions, config),
  });
  const optOutWaits = new Map<WorkloadKey, readonly string[]>();
  const workloads = input.workloads.flatMap((object) => {
    const workload = reduceWorkload(object.kind)(object);
    const key = workloadKey(workload.kind, workload.name);
    const configs = adopted.get(key);
    if (configs === undefined || workload.deleting || !mayReplacePods(workload, optOut(configs))) return [];
    if (hasOptedOut(workload)) optOutWaits.set(key, optOutObstacles(workload, optOut(configs)));
    return [stateOfWorkload(input, workload, configs, currents, versionOf)];
  });
  const [, ...staying] = rollouts.map(({ state }) => state);
  const preview = previewActivation(requested, staying, workloads);
  return {
    ...preview,
    workloads: new Map(workloads.map((each) => [each.key, each])),
    requested,
    optOutWaits,
  };
}

function obstacleTo(
  { rollout, others, live }: PlanInput,
  versions: readonly VersionMetadata[],
  config: ConfigKey,
): string | undefined {
  const { kind, name } = readConfigKey(config);
  const body = live.get(config);
  return optOutObstacle({
    config: { kind, name },
    live: body === undefined ? 'unknown' : liveContent(body),
    versions: versions.filter((each) => each.kind === kind && each.config === name),
    rollout: [rollout, ...others].find(({ spec }) => spec.config.kind === kind && spec.config.name === name),
  });
}

function liveContent(body: ConfigBody | 'missing'): OptOutInput['live'] {
  if (body === 'missing' || body.metadata.deletionTimestamp !== undefined) return 'missing';
  return { hash: contentHash(body) };
}

function stateOfWorkload(
  { mountable }: PlanInput,
  workload: Workload,
  adopted: ReadonlySet<ConfigKey>,
  current: ReadonlyMap<ConfigKey, string>,
  versionOf: VersionOf,
): WorkloadState {
  const originalName = (kind: ConfigKind, name: string) => versionOf(kind, name) ?? name;
  const hasCurrentVersion = (config: ConfigKey) => {
    const object = current.get(config);
    const its = workload.references.filter(
      (each) => configKey(each.kind, originalName(each.kind, writtenName(each))) === config,
    );
    return object !== undefined && isMountable(mountable.get(workload.serviceAccount), its, object);
  };
  const { configOf } = managedReferences({
    ...{ found: workload.references, originalName, adopted, hasCurrentVersion },
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

/** A neighbour. */
function observedState(
  { live, now }: PlanInput,
  rollout: ConfigRollout,
  versions: readonly VersionMetadata[],
): RolloutState {
  const { metadata, spec, status } = rollout;
  const found = currentVersion(versions.map(candidateVersion), status).version;
  const asking = {
    specVersion: spec.version,
    requestId: metadata.annotations?.[annotations.requestId],
    retry: metadata.annotations?.[annotations.retry],
    observed: status?.observed,
  };
  const body = live.get(configKey(spec.config.kind, spec.config.name));
  return {
    ...rolloutState(rollout, versions, found && versionRef(found)),
    newRequest: status?.observed !== undefined && (isNewRequest(asking) || isRetry(asking)),
    intent: intent({
      ...asking,
      release: spec.release,
      live: body === undefined ? statedContent(rollout, versions) : editedContent(body),
      versions,
      current: found?.name,
      target: status?.target?.version,
    }),
    tooEarly: tooEarlyMs(rollout, now) > 0,
    preflight: reportedPreflight(rollout),
  };
}

function editedContent(body: ConfigBody | 'missing'): LiveConfig | undefined {
  if (body === 'missing' || body.metadata.deletionTimestamp !== undefined) return undefined;
  const { resourceVersion = '', annotations: its } = body.metadata;
  return { hash: contentHash(body), resourceVersion, ...(its && { annotations: its }) };
}

/** The content of a config that the caller may not read, as the controller has observed it. */
function statedContent(
  { status }: ConfigRollout,
  versions: readonly VersionMetadata[],
): LiveConfig | undefined {
  const { liveVersion, liveResourceVersion = '' } = status?.observed ?? {};
  const version = versions.find(({ name }) => name === liveVersion);
  return version && { hash: version.contentHash, resourceVersion: liveResourceVersion };
}

/** The check of the wanted version, as the controller has reported it for this state of the spec. */
function reportedPreflight({ metadata, status }: ConfigRollout): RolloutState['preflight'] {
  if ((status?.observed?.generation ?? 0) < (metadata.generation ?? 0)) return undefined;
  const degraded = status?.conditions?.find(({ type, status }) => type === 'Degraded' && status === 'True');
  const reason = preflightReasons.find((each) => each === degraded?.reason);
  return reason === undefined ? undefined : { reason, message: degraded?.message ?? '' };
}

function rolloutState(
  { spec, status }: ConfigRollout,
  versions: readonly VersionMetadata[],
  current: VersionRef | undefined,
): Omit<RolloutState, 'intent'> {
  return {
    config: configKey(spec.config.kind, spec.config.name),
    versions: versions.map(candidateVersion),
    current,
    newRequest: false,
    coalescing: false,
    tooEarly: false,
    preflight: undefined,
    running: runningActivation(status, current, versions),
    rules: activationRules(spec),
  };
}

function versionsOf({ metadata }: ConfigRollout, versions: readonly VersionMetadata[]): VersionMetadata[] {
  return versions.filter(({ rolloutUid }) => rolloutUid === metadata.uid);
}

function isAmong({ object }: VersionMetadata, others: readonly VersionMetadata[]): boolean {
  return others.some((each) => each.object === object);
}
