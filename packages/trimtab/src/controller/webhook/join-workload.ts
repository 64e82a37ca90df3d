import { randomBytes } from 'node:crypto';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { type JoinedActivation, joinActivation } from '../../core/activation/join-activation.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { knownLedger, ledgerOf } from '../../core/version/ledger.ts';
import { type AdmittedTemplate, admittedWorkload } from '../../core/workload/admitted-workload.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { createVersion } from '../../versions/create-version.ts';
import { readLive, readRollout, versionOfConfig } from '../../versions/read-config.ts';
import {
  type KnownContent,
  type ObservedGroup,
  observeGroup,
  observeWorkload,
} from '../activation/observe.ts';
import { preflight } from '../activation/preflight.ts';
import { configGroup } from '../cache/config-group.ts';
import { original } from '../cache/configs.ts';
import { orphanedVersions, rolloutOf, versionsOf } from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { planVersionOf } from '../version/plan-version-of.ts';
import { plannedVersion } from '../version/planned-version.ts';
import type { AdmissionRequest } from './admission-review.ts';
import type { WorkloadMutation } from './mutate-workload.ts';

/** Decides what a workload is assigned by the activation that it joins; undefined when it joins none. */
export type JoinWorkload = (
  request: AdmissionRequest,
  mutation: Pick<WorkloadMutation, 'joinable' | 'admitted'>,
  signal: AbortSignal,
) => Promise<JoinedActivation | undefined>;

/** A config whose content is read from the API server, because the cache may not have seen the latest edit. */
interface EditedConfig extends KnownContent {
  rollout: ConfigRollout;
  /** The versions of the content that a workload may be assigned. None when the content is current. */
  objects: ReadonlySet<string>;
  /** Creates the version of the content. Undefined when it exists. */
  create: (() => Promise<boolean>) | undefined;
}

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
    const rollouts = configs.flatMap(
      ({ kind, name }) => rolloutOf(context.cluster, namespace, kind, name) ?? [],
    );
    const edited = await editedConfigs(context, rollouts, signal);
    if (edited.size === 0) return undefined;
    const joined = await planJoin(context, { workloads, configs, rollouts, edited }, signal);
    if (joined === undefined) return undefined;
    const taken = [...edited].filter(([config, { objects }]) =>
      objects.has(joined.references.get(config) ?? ''),
    );
    const created = await Promise.all(taken.map(([, { create }]) => create?.() ?? true));
    return created.every(Boolean) ? joined : undefined;
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

async function editedConfigs(
  context: ControllerContext,
  rollouts: readonly ConfigRollout[],
  signal: AbortSignal,
): Promise<Map<ConfigKey, EditedConfig>> {
  const found = await Promise.all(rollouts.map((rollout) => editedConfig(context, rollout, signal)));
  return new Map(
    found.flatMap((each) => {
      if (each === undefined) return [];
      const { kind, name } = each.rollout.spec.config;
      return [[configKey(kind, name), each] as const];
    }),
  );
}

/** Returns undefined for a config that is no reason to join an activation, and when that is uncertain. */
async function editedConfig(
  context: ControllerContext,
  rollout: ConfigRollout,
  signal: AbortSignal,
): Promise<EditedConfig | undefined> {
  const { cluster, direct } = context;
  const { metadata, spec } = rollout;
  if (spec.release !== 'Auto' || metadata.deletionTimestamp !== undefined) return undefined;
  if (typeof ledgerOf(rollout) === 'string' || orphanedVersions(cluster, rollout).length > 0)
    return undefined;
  const address = { ...spec.config, namespace: metadata.namespace ?? '' };
  const body = await readLive(direct, address, signal);
  if (body?.metadata.labels?.[labels.config] === undefined) return undefined;
  const live = original(spec.config.kind)(body);
  const versions = versionsOf(cluster, rollout);
  const same = versions.filter(({ contentHash }) => contentHash === live.hash);
  if (same.length > 0) {
    const isCurrent = same.some(({ object }) => object === rollout.status?.current?.object);
    if (isCurrent) return { rollout, live, versions, objects: new Set(), create: undefined };
    // An old version must be marked in use before a workload names it, which the controller does.
    if (!same.every(({ inUse }) => inUse)) return undefined;
    return { rollout, live, versions, objects: new Set(same.map(({ object }) => object)), create: undefined };
  }
  const plan = planVersionOf(cluster, rollout, live, versions);
  if (plan.make === 'nothing' || plan.occupied.length > 0) return undefined;
  const object = plannedVersion(context, rollout, { body, hash: live.hash, plan, isCurrent: false });
  const version = versionOfConfig(address, object);
  if (version === undefined || versions.length === 0) return undefined;
  const create = async () => {
    if (!(await isLedgerKnown(context, rollout, signal))) return false;
    const { result } = await createVersion({ client: direct, fieldManager, signal }, rollout, object);
    if (result === 'created')
      context.log.info(
        {
          namespace: address.namespace,
          config: configKey(spec.config.kind, spec.config.name),
          version: plan.name,
        },
        'version created',
      );
    return result === 'created' || result === 'exists';
  };
  const objects = new Set([version.object]);
  return { rollout, live, versions: [...versions, version], objects, create };
}

/** No name of a deleted version may be used again, so the ledger must be complete, and the cached one current. */
async function isLedgerKnown(
  { cluster, direct }: ControllerContext,
  rollout: ConfigRollout,
  signal: AbortSignal,
): Promise<boolean> {
  const { uid, namespace = '' } = rollout.metadata;
  if (cluster.seenDeletions.unrecorded(uid, knownLedger(rollout)).length > 0) return false;
  const stored = await readRollout(direct, { ...rollout.spec.config, namespace }, signal);
  const ledger = ({ metadata }: ConfigRollout) => metadata.annotations?.[annotations.ledger];
  return stored !== undefined && stored.metadata.uid === uid && ledger(stored) === ledger(rollout);
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
