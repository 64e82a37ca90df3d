import { randomBytes } from 'node:crypto';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { type JoinedActivation, joinActivation } from '../../core/activation/join-activation.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { knownLedger, ledgerOf } from '../../core/version/ledger.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { createVersion } from '../../versions/create-version.ts';
import { readLive, readRollout, readVersionMetadata, versionOfConfig } from '../../versions/read-config.ts';
import { isHeld } from '../activation/mark-versions.ts';
import { type KnownContent, observeGroup, observeWorkload } from '../activation/observe.ts';
import { preflight } from '../activation/preflight.ts';
import { configGroup } from '../cache/config-group.ts';
import { original } from '../cache/configs.ts';
import { orphanedVersions, rolloutOf, versionsOf } from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { planVersionOf } from '../version/plan-version-of.ts';
import { plannedVersion } from '../version/planned-version.ts';
import type { AdmissionRequest } from './admission-review.ts';

/** Decides what a workload is assigned by the activation that it joins; undefined when it joins none. */
export type JoinWorkload = (
  request: AdmissionRequest,
  configs: readonly ConfigId[],
  signal: AbortSignal,
) => Promise<JoinedActivation | undefined>;

/** A config whose content is read from the API server, because the cache may not have seen the latest edit. */
interface EditedConfig extends KnownContent {
  rollout: ConfigRollout;
  /** Creates the version of the content. Undefined when it exists. */
  create: (() => Promise<boolean>) | undefined;
}

/**
 * Lets a workload that its owner changes join the activation of its configs that were edited just before: the owner's change
 * and the new versions are one rolling update then. The plan is that of the controller, which begins the activation when its
 * coalescing window is over. Whatever is uncertain is left to the controller, at the cost of a second rolling update.
 */
export function joinWorkload(context: ControllerContext): JoinWorkload {
  return async (request, configs, signal) => {
    const { namespace } = request;
    const workload = workloadBefore(request);
    if (workload.name === '') return undefined;
    const rollouts = configs.flatMap(
      ({ kind, name }) => rolloutOf(context.cluster, namespace, kind, name) ?? [],
    );
    const edited = await editedConfigs(context, rollouts, signal);
    if (edited.size === 0) return undefined;
    const joined = await planJoin(context, { workload, configs, rollouts, edited }, signal);
    if (joined === undefined) return undefined;
    const taken = [...edited].filter(([config, { live, versions }]) =>
      versions.some(
        ({ object, contentHash }) => contentHash === live.hash && object === joined.references.get(config),
      ),
    );
    if (taken.length === 0) return undefined;
    const created = await Promise.all(taken.map(([, { create }]) => create?.() ?? true));
    return created.every(Boolean) ? joined : undefined;
  };
}

/** The workload as it was before the request, which is what an activation moves. */
function workloadBefore({ kind, namespace, name, object, oldObject }: AdmissionRequest): Workload {
  const reduced = reduceWorkload(kind.kind as WorkloadKind)(oldObject ?? object);
  return { ...reduced, namespace, name: reduced.name || (name ?? '') };
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

/** Returns undefined for a config whose content is no reason to join an activation, and when that is uncertain. */
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
    // An old version must be marked in use before a workload names it, and the mark of a purge must be removed, which the
    // controller does.
    return isCurrent || (await areHeld(context, rollout, same, signal))
      ? { rollout, live, versions, create: undefined }
      : undefined;
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
  return { rollout, live, versions: [...versions, version], create };
}

/** Reads the versions from the API server, because the cache may not show the mark of a purge yet. */
async function areHeld(
  { direct }: ControllerContext,
  { spec, metadata }: ConfigRollout,
  versions: readonly VersionMetadata[],
  signal: AbortSignal,
): Promise<boolean> {
  if (!versions.every((each) => isHeld(each, false))) return false;
  const address = { ...spec.config, namespace: metadata.namespace ?? '' };
  const stored = await Promise.all(
    versions.map(({ object }) => readVersionMetadata(direct, address, { metadata }, object, signal)),
  );
  return stored.every((each) => each !== undefined && isHeld(each, false));
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
  workload: Workload;
  configs: readonly ConfigId[];
  rollouts: readonly ConfigRollout[];
  edited: ReadonlyMap<ConfigKey, EditedConfig>;
}

async function planJoin(
  context: ControllerContext,
  { workload, configs, rollouts, edited }: Joining,
  signal: AbortSignal,
): Promise<JoinedActivation | undefined> {
  const { namespace } = workload;
  const group = new Set(rollouts.flatMap((rollout) => configGroup(context.cluster, rollout)));
  const observed = observeGroup(context, namespace, [...group], edited);
  for (const each of observed.rollouts.filter(({ state }) => edited.has(state.config)))
    each.state.preflight = (await preflight(context, observed, each, signal)).problem;
  const states = observed.rollouts.map(({ state }) => state);
  const current = new Map(
    states.flatMap((state) => (state.current ? [[state.config, state.current.object] as const] : [])),
  );
  const managed = new Set(configs.map(({ kind, name }) => configKey(kind, name)));
  const own = observeWorkload(context, workload, managed, current).state;
  const others = observed.workloads.map(({ state }) => state).filter(({ key }) => key !== own.key);
  const id = `${randomBytes(5).toString('hex')}-1`;
  const key = workloadKey(workload.kind, workload.name);
  return joinActivation(key, states, [...others, own], id, context.clock.monotonic());
}
