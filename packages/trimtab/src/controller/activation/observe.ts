import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { activationRules } from '../../core/activation/activation-rules.ts';
import { currentVersion } from '../../core/activation/current-version.ts';
import { candidateVersion, runningActivation, versionRef } from '../../core/activation/observed-versions.ts';
import { workloadState } from '../../core/activation/observed-workload.ts';
import type { RolloutState } from '../../core/activation/rollout-state.ts';
import type { WorkloadState } from '../../core/activation/types.ts';
import { type ConfigOf, type ManagedReferences, readTemplate } from '../../core/references/assignment.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import { managedReferences } from '../../core/references/managed-references.ts';
import { intent, isNewRequest, isRetry } from '../../core/version/intent.ts';
import { programText } from '../../core/version/requester.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { Original } from '../cache/configs.ts';
import {
  configOf,
  keyOfRollout,
  originalName,
  originalOf,
  orphanedVersions,
  podsOf,
  versionsOf,
  workloadAt,
} from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { planVersionOf } from '../version/plan-version-of.ts';
import { mayBeUpdated, workloadsToUpdate } from '../workload/adoption-of.ts';
import { isReloadedWorkload } from '../workload/is-reloaded.ts';
import { referenceWayOf } from '../workload/reference-way-of.ts';
import { type VersionlessConfig, versionlessConfigs } from '../workload/versionless-configs.ts';
import { untilNextActivationMs } from './activation-interval.ts';
import { reloadedPods } from './reloaded-pods.ts';

/** A timer of more than 24 days would fire at once. */
const longestTimerMs = 86_400_000;

/** A rollout with everything that its plan is based on. */
export interface ObservedRollout {
  rollout: ConfigRollout;
  state: RolloutState;
  versions: VersionMetadata[];
  /** The live config that the intent was read from: an edit that arrives later must not count as observed. */
  live: Original | undefined;
  /** Time until the rollout may start. The key is requeued for then, because no event marks that time. */
  settledInMs: number;
  /** Keys that templates name and the wanted version lacks, where that does not stop the activation. */
  keyWarnings: string[];
  /** The status and the marks of the versions name different current versions. */
  contradicted: boolean;
}

export interface ObservedGroup {
  rollouts: ObservedRollout[];
  workloads: {
    state: WorkloadState;
    workload: Workload;
    /** Maps the managed references of this workload. */
    configOf: ConfigOf;
    /** Referenced configs that have no version to assign. */
    unmanaged: VersionlessConfig[];
  }[];
  configOf: ConfigOf;
}

/** The versions and the live content of a config, where they are known better than by the cache. */
export type KnownContent = Pick<ObservedRollout, 'versions'> & { live: Original };

/**
 * Observes a group of configs for a plan. Reads the cache only. A config in `known` has been read from the API server: its
 * edit is complete, and no coalescing window delays it.
 */
export function observeGroup(
  context: ControllerContext,
  namespace: string,
  group: readonly ConfigRollout[],
  known: ReadonlyMap<ConfigKey, KnownContent> = new Map(),
): ObservedGroup {
  const { cluster } = context;
  const rollouts = group
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((rollout) => observeRollout(context, rollout, known.get(keyOfRollout(rollout))));
  const current = new Map(
    rollouts.flatMap(({ state }) => (state.current ? [[state.config, state.current.object] as const] : [])),
  );
  const listed = new Map<string, Set<ConfigKey>>();
  for (const { rollout, state } of rollouts) {
    for (const key of workloadsToUpdate(context, rollout))
      listed.set(key, (listed.get(key) ?? new Set()).add(state.config));
  }
  const workloads = [...listed].flatMap(([key, configs]) => {
    const workload = workloadAt(cluster, namespace, key);
    if (workload === undefined || workload.deleting || !mayBeUpdated(context, workload)) return [];
    return [observeWorkload(context, workload, configs, current)];
  });
  return { rollouts, workloads, configOf: configOf(cluster, namespace) };
}

export function observeWorkload(
  context: ControllerContext,
  workload: Workload,
  listed: ReadonlySet<ConfigKey>,
  current: ReadonlyMap<ConfigKey, string>,
): ObservedGroup['workloads'][number] {
  const { cluster } = context;
  const { namespace, references } = workload;
  const { configOf: of } = managedReferences({
    found: references,
    originalName: (kind, name) => originalName(cluster, namespace, kind, name),
    adopted: listed,
    hasCurrentVersion: (config) => current.has(config),
  });
  const versionless = versionlessConfigs(
    context,
    workload,
    (config) => listed.has(config) && current.has(config),
  );
  const state = observedState(context, workload, of, current);
  return {
    workload,
    state: versionless.some(({ isPending }) => isPending) ? { ...state, isPartial: true } : state,
    configOf: of,
    unmanaged: versionless.filter(({ isPending }) => !isPending),
  };
}

function observeRollout(
  context: ControllerContext,
  rollout: ConfigRollout,
  known: KnownContent | undefined,
): ObservedRollout {
  const { cluster, coalescing, denials } = context;
  const { status, spec, metadata } = rollout;
  const key = `${metadata.namespace}/${metadata.name}`;
  const versions = known?.versions ?? versionsOf(cluster, rollout);
  const states = versions.map(candidateVersion);
  // The current version is unknown until the versions of a previous rollout of this config have been adopted.
  const isWhole = orphanedVersions(cluster, rollout).length === 0;
  const found = currentVersion(states, status);
  const current = isWhole ? found.version && versionRef(found.version) : undefined;
  const live = known?.live ?? originalOf(cluster, rollout);
  const coalescingMs = known === undefined ? coalescing.leftMs(key) : 0;
  const tooEarlyMs = untilNextActivationMs(context, rollout);
  const asking = {
    specVersion: spec.version,
    requestId: metadata.annotations?.[annotations.requestId],
    retry: metadata.annotations?.[annotations.retry],
    observed: status?.observed,
  };
  const wish = intent({
    ...asking,
    release: spec.release,
    live,
    versions,
    current: current?.name,
    target: status?.target?.version,
  });
  const awaitsVersion =
    wish.want === 'wait for version' &&
    denials.of(key) === undefined &&
    willHaveVersion(context, rollout, versions);
  const state: RolloutState = {
    config: keyOfRollout(rollout),
    versions: states,
    current,
    intent: wish,
    // Without a status nobody knows what was requested before, so nothing that was rejected is tried again.
    newRequest: status?.observed !== undefined && (isNewRequest(asking) || isRetry(asking)),
    coalescing: coalescingMs > 0 || awaitsVersion,
    tooEarly: tooEarlyMs > 0,
    preflight: undefined,
    running: runningActivation(status, current, versions),
    abort: abortRequest(context, rollout),
    unbaked: unbakedVersion(rollout),
    rules: activationRules(spec),
  };
  const settledInMs = Math.min(Math.max(coalescingMs, tooEarlyMs), longestTimerMs);
  return { rollout, state, versions, live, settledInMs, keyWarnings: [], contradicted: found.contradicted };
}

/**
 * Whether the edit becomes a version soon. Configs that share a workload with it must wait and be activated with it.
 */
function willHaveVersion(
  { cluster }: ControllerContext,
  rollout: ConfigRollout,
  versions: readonly VersionMetadata[],
): boolean {
  const original = originalOf(cluster, rollout);
  return original !== undefined && planVersionOf(cluster, rollout, original, versions).make !== 'nothing';
}

function abortRequest({ cluster }: ControllerContext, { metadata }: ConfigRollout): RolloutState['abort'] {
  const { namespace, name, annotations: its } = metadata;
  const activation = its?.[annotations.abort];
  if (activation === undefined) return undefined;
  const manager = cluster.rollouts.cache.get(`${namespace}/${name}`)?.abortManager;
  return { activation, by: manager && programText(manager) };
}

/** The annotation is about one request: a later request has another id, and is judged through its bake time. */
function unbakedVersion({ metadata, spec }: ConfigRollout): string | undefined {
  const id = metadata.annotations?.[annotations.requestId];
  return id !== undefined && id === metadata.annotations?.[annotations.skipBake] ? spec.version : undefined;
}

function observedState(
  context: ControllerContext,
  workload: Workload,
  of: ConfigOf,
  current: ReadonlyMap<ConfigKey, string>,
): WorkloadState {
  const { cluster } = context;
  const isReloaded = isReloadedWorkload(context, workload);
  const its = (pod: {
    references: Workload['references'] | { kind: 'ConfigMap' | 'Secret'; name: string }[];
  }): ManagedReferences => readTemplate(pod.references, of).references;
  return workloadState({
    workload,
    configOf: of,
    current,
    isReloaded,
    way: referenceWayOf(context.referenceWays, workload),
    versionOf(kind, object) {
      const config = originalName(cluster, workload.namespace, kind, object);
      return config === object ? undefined : config;
    },
    pods: isReloaded
      ? reloadedPods(context, workload, its)
      : podsOf(cluster, workload).map((pod) => ({ ...pod, references: its(pod) })),
  });
}
