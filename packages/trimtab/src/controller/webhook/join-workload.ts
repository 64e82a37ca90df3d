import { randomBytes } from 'node:crypto';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { type JoinedActivation, joinActivation } from '../../core/activation/join-activation.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { type AdmittedTemplate, admittedWorkload } from '../../core/workload/admitted-workload.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { type ObservedGroup, observeGroup, observeWorkload } from '../activation/observe.ts';
import { preflight } from '../activation/preflight.ts';
import { configGroup } from '../cache/config-group.ts';
import { rolloutOf } from '../cache/lookup.ts';
import { unknownObjects } from '../cache/unknown-versions.ts';
import type { ControllerContext } from '../context.ts';
import type { AdmissionRequest } from './admission-review.ts';
import { type EditedConfig, editedConfigs, isAssignable } from './edited-config.ts';
import type { WorkloadMutation } from './mutate-workload.ts';

/** Decides what a workload is assigned by the activation that it joins; undefined when it joins none. */
export type JoinWorkload = (
  request: AdmissionRequest,
  mutation: Pick<WorkloadMutation, 'joinable' | 'admitted'>,
  signal: AbortSignal,
) => Promise<JoinedActivation | undefined>;

/**
 * Lets a workload that its owner changes join the activation of its configs that were edited just before: the owner's change
 * and the new versions are one rolling update then. The plan is that of the controller, which begins the activation when its
 * coalescing window is over. Whatever is uncertain is left to the controller, at the cost of a second rolling update.
 */
export function joinWorkload(context: ControllerContext): JoinWorkload {
  return async (request, { joinable: configs, admitted }, signal) => {
    const { namespace } = request;
    const workloads = workloadsOf(request, admitted);
    if (workloads.admitted.name === '') return undefined;
    // The record could not lead back from a version that the plan does not know.
    if (unknownObjects(context.cluster, workloads.admitted).length > 0) return undefined;
    const rollouts = configs.flatMap(
      ({ kind, name }) => rolloutOf(context.cluster, namespace, kind, name) ?? [],
    );
    const edited = await editedConfigs(context, rollouts, signal);
    if (edited.size === 0) return undefined;
    const joined = await planJoin(context, { workloads, configs, rollouts, edited }, signal);
    if (joined === undefined) return undefined;
    const assignable = await Promise.all(
      [...edited].map(([config, each]) => {
        const object = joined.references.get(config);
        return (
          object === undefined || !each.objects.has(object) || isAssignable(context, each, object, signal)
        );
      }),
    );
    return assignable.every(Boolean) ? joined : undefined;
  };
}

interface RequestedWorkload {
  /** The workload as it is admitted, with the versions that it has without an activation. */
  admitted: Workload;
  /** The stored workload, whose pods run. Undefined when the workload is being created. */
  stored: Workload | undefined;
}

function workloadsOf(
  { kind, namespace, name, object, oldObject }: AdmissionRequest,
  template: AdmittedTemplate,
): RequestedWorkload {
  const its = kind.kind as WorkloadKind;
  const admitted = admittedWorkload(its, object, oldObject ?? undefined, template);
  return {
    admitted: { ...admitted, namespace, name: admitted.name || (name ?? '') },
    stored: oldObject ? reduceWorkload(its)(oldObject) : undefined,
  };
}

/** What the joining is planned from. */
interface Joining {
  workloads: RequestedWorkload;
  configs: readonly ConfigId[];
  rollouts: readonly ConfigRollout[];
  edited: ReadonlyMap<ConfigKey, EditedConfig>;
}

async function planJoin(
  context: ControllerContext,
  { workloads, configs, rollouts, edited }: Joining,
  signal: AbortSignal,
): Promise<JoinedActivation | undefined> {
  const { admitted } = workloads;
  const key = workloadKey(admitted.kind, admitted.name);
  const group = new Set(rollouts.flatMap((rollout) => configGroup(context.cluster, rollout)));
  const observed = observeGroup(context, admitted.namespace, [...group], edited);
  const states = observed.rollouts.map(({ state }) => state);
  const current = new Map(
    states.flatMap((state) => (state.current ? [[state.config, state.current.object] as const] : [])),
  );
  const managed = new Set(configs.map(({ kind, name }) => configKey(kind, name)));
  const own = ownWorkload(context, workloads, managed, current);
  const all = [...observed.workloads.filter(({ state }) => state.key !== key), own];
  for (const each of observed.rollouts) {
    const { problem, warnings } = await preflight(context, { ...observed, workloads: all }, each, signal);
    each.state.preflight = problem;
    // The version of an activation in progress was checked without this template.
    if (each.state.running !== undefined && warnings.length > 0) return undefined;
  }
  return joinActivation(key, {
    rollouts: states,
    workloads: all.map(({ state }) => state),
    edits: new Map([...edited].map(([config, { objects }]) => [config, objects])),
    newId: `${randomBytes(5).toString('hex')}-1`,
    now: context.clock.monotonic(),
  });
}

/**
 * The workload of the request as the plan sees it. The health before the move is that of the stored template. The keys that the
 * new template needs must exist, even if no pod exists yet.
 */
function ownWorkload(
  context: ControllerContext,
  { admitted, stored }: RequestedWorkload,
  managed: ReadonlySet<ConfigKey>,
  current: ReadonlyMap<ConfigKey, string>,
): ObservedGroup['workloads'][number] {
  const own = observeWorkload(context, admitted, managed, current);
  const workload = { ...admitted, observed: { ...admitted.observed, desired: 1 } };
  if (stored === undefined) return { ...own, workload };
  const { templateHash, observed } = observeWorkload(context, stored, managed, current).state;
  return { ...own, workload, state: { ...own.state, templateHash, observed } };
}
