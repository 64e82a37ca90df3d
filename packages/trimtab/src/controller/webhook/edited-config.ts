import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { knownLedger, ledgerOf } from '../../core/version/ledger.ts';
import { createVersion } from '../../versions/create-version.ts';
import { readLive, readRollout, versionOfConfig, versionOfRollout } from '../../versions/read-config.ts';
import { isHeld } from '../activation/mark-versions.ts';
import type { KnownContent } from '../activation/observe.ts';
import { original } from '../cache/configs.ts';
import { orphanedVersions, versionsOf } from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { planVersionOf } from '../version/plan-version-of.ts';
import { plannedVersion } from '../version/planned-version.ts';

/** A config whose content is read from the API server, because the cache may not have seen the latest edit. */
export interface EditedConfig extends KnownContent {
  rollout: ConfigRollout;
  /** The versions of the content that a workload may be assigned. None when the content is current. */
  objects: ReadonlySet<string>;
  /** The version of the content, to be created. Undefined when it exists. */
  planned?: ConfigBody;
}

export async function editedConfigs(
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
  const address = addressOf(rollout);
  const body = await readLive(direct, address, signal);
  if (body?.metadata.labels?.[labels.config] === undefined) return undefined;
  const live = original(spec.config.kind)(body);
  const versions = versionsOf(cluster, rollout);
  const same = versions.filter(({ contentHash }) => contentHash === live.hash);
  if (same.length > 0) {
    const isCurrent = same.some(({ object }) => object === rollout.status?.current?.object);
    if (isCurrent) return { rollout, live, versions, objects: new Set() };
    // An old version must be marked in use before a workload names it, and the mark of a purge must be removed, which the
    // controller does.
    if (!same.every((each) => isHeld(each, false))) return undefined;
    return { rollout, live, versions, objects: new Set(same.map(({ object }) => object)) };
  }
  const plan = planVersionOf(cluster, rollout, live, versions);
  if (plan.make === 'nothing' || plan.occupied.length > 0) return undefined;
  const planned = plannedVersion(context, rollout, { body, hash: live.hash, plan, isCurrent: false });
  const version = versionOfConfig(address, planned);
  if (version === undefined || versions.length === 0) return undefined;
  return { rollout, live, versions: [...versions, version], objects: new Set([version.object]), planned };
}

/**
 * Whether a workload may be assigned this version of the content. The plan was made from the cache, which lags behind: a user may
 * just have paused the rollout, or the version may just have been rejected. What the API server stores decides. Creates the
 * version if it does not exist.
 */
export async function isAssignable(
  context: Pick<ControllerContext, 'cluster' | 'direct' | 'log'>,
  { rollout, planned }: EditedConfig,
  object: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { direct } = context;
  const address = addressOf(rollout);
  const stored = await readRollout(direct, address, signal);
  if (stored === undefined || !isSameRollout(rollout, stored)) return false;
  if (planned !== undefined) return isCreated(context, rollout, planned, signal);
  const found = await getIfExists(
    direct,
    configResources[address.kind],
    { namespace: address.namespace, name: object },
    { projection: 'metadata', signal },
  );
  return found !== undefined && mayBeNamed(rollout, found);
}

/** Whether the stored rollout asks for the same, and is as far, as the one that the plan was made from. */
function isSameRollout(known: ConfigRollout, stored: ConfigRollout): boolean {
  const facts = ({ metadata, status }: ConfigRollout) => [
    metadata.uid,
    metadata.generation,
    metadata.deletionTimestamp,
    status?.phase,
    status?.current?.object,
    status?.target?.activation,
    ...[annotations.ledger, annotations.abort, annotations.retry, annotations.requestId].map(
      (each) => metadata.annotations?.[each],
    ),
  ];
  return JSON.stringify(facts(known)) === JSON.stringify(facts(stored));
}

/** No name of a deleted version may be used again, so the ledger must be complete. */
async function isCreated(
  { cluster, direct, log }: Pick<ControllerContext, 'cluster' | 'direct' | 'log'>,
  rollout: ConfigRollout,
  planned: ConfigBody,
  signal: AbortSignal,
): Promise<boolean> {
  if (cluster.seenDeletions.unrecorded(rollout.metadata.uid, knownLedger(rollout)).length > 0) return false;
  const creation = await createVersion({ client: direct, fieldManager, signal }, rollout, planned);
  if (creation.result === 'exists') return mayBeNamed(rollout, creation.object);
  if (creation.result !== 'created') return false;
  const { kind, namespace, name } = addressOf(rollout);
  const version = planned.metadata.annotations?.[annotations.version];
  log.info({ namespace, config: configKey(kind, name), version }, 'version created');
  return true;
}

/** Whether the stored version is in use and not being purged, and nothing speaks against it. */
function mayBeNamed(rollout: ConfigRollout, object: KubeObject): boolean {
  const version = versionOfRollout(addressOf(rollout), rollout, object);
  return (
    version !== undefined &&
    isHeld(version, false) &&
    version.state !== 'rejected' &&
    version.rejected === undefined &&
    object.metadata.deletionTimestamp === undefined
  );
}

function addressOf({ metadata, spec }: ConfigRollout): ConfigAddress {
  return { ...spec.config, namespace: metadata.namespace ?? '' };
}
