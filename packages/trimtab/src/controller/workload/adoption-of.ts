import type { ConfigRollout } from '../../api/config-rollout.ts';
import { reloaderManagement } from '../../core/from-reloader/opt-ins.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { deliveryMode } from '../../core/reload/delivery-mode.ts';
import { type Adoption, adopt } from '../../core/workload/adoption.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import { distinct } from '../../core/workload/observe-pod.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { type ConfigId, parseManage } from '../../core/workload/opt-in.ts';
import { assignedConfigs, mayReplacePods } from '../../core/workload/opt-out-waits.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { workloadKey, workloadText } from '../../core/workload/workload-key.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configMetadataOf, configNamed, keyOfRollout, originalName, workloadAt } from '../cache/lookup.ts';
import { cachedObstacle } from './opt-out-obstacle.ts';
import { configsForReloader, readsReloader } from './reads-reloader.ts';

/** The fields of a workload that adoption needs; a workload that is being created has no uid. */
interface AdoptableWorkload {
  namespace: string;
  kind: WorkloadKind;
  name: string;
  uid: string | undefined;
  annotations: Record<string, string>;
  templateAnnotations: Record<string, string>;
}

interface AdoptionQuery {
  cluster: ClusterCache;
  reloaderAnnotations: boolean;
  workload: AdoptableWorkload;
  /** Referenced configs; a reference to a version counts as a reference to its config. */
  references: readonly { kind: ConfigKind; name: string }[];
  /** Configs of which the workload references a version. Without them, no opt-out waits. */
  assigned?: ReadonlySet<ConfigKey>;
}

/** Returns the configs that are managed for a workload. Shared by reconcilers, conditions and the webhook. */
export function adoptionOf({
  cluster,
  reloaderAnnotations,
  workload,
  references,
  assigned = new Set(),
}: AdoptionQuery): Adoption {
  const { namespace, annotations, uid } = workload;
  const metadata = (kind: ConfigKind, name: string) => configMetadataOf(cluster, namespace, kind, name);
  const manage = parseManage(annotations);
  const management = 'problem' in manage ? ({ mode: 'unsaid' } as const) : manage.value;
  const fromReloader = readsReloader({ cluster, reloaderAnnotations }, workload)
    ? [reloaderManagement(workload, references, configsForReloader(cluster, namespace))]
    : [];
  return adopt({
    managements: [management, ...fromReloader],
    references,
    ownedBy: (kind, name) =>
      metadata(kind, name)?.ownerReferences.some((owner) => owner.uid === uid) ?? false,
    before: managedBefore(cluster, workload),
    assigned,
    obstacleTo: (config) => cachedObstacle(cluster, namespace, config),
  });
}

/** Returns the adoption of a workload that exists, with what it references now. */
export function adoptionOfWorkload(
  { cluster, reloaderAnnotations }: Pick<AdoptionQuery, 'cluster' | 'reloaderAnnotations'>,
  workload: Workload,
): Adoption {
  const { namespace } = workload;
  const before = managedBefore(cluster, workload);
  const assigned = assignedConfigs(workload, {
    originalName: (kind, name) => originalName(cluster, namespace, kind, name),
    before,
  });
  const references = referencedConfigs(cluster, workload);
  return adoptionOf({ cluster, reloaderAnnotations, workload, references, assigned });
}

/**
 * Returns the workloads of a rollout, without those that opted out of its config and reference the live config again:
 * they stay listed for a moment, and must not be repaired.
 */
export function workloadsToUpdate(
  { cluster, reloaderAnnotations }: Pick<AdoptionQuery, 'cluster' | 'reloaderAnnotations'>,
  rollout: ConfigRollout,
): string[] {
  const { kind, name } = rollout.spec.config;
  const { namespace = '' } = rollout.metadata;
  return managedWorkloads(rollout).filter((key) => {
    const workload = workloadAt(cluster, namespace, key);
    const isLive = (each: ConfigId) => each.kind === kind && each.name === name;
    if (workload === undefined || !workload.references.some(isLive)) return true;
    const { ended } = adoptionOf({ cluster, reloaderAnnotations, workload, references: [{ kind, name }] });
    return !ended.has(configKey(kind, name));
  });
}

/** Returns the workloads of a rollout that have lost their opt-in, for its condition. */
export function optInLost(
  { cluster, reloaderAnnotations }: Pick<AdoptionQuery, 'cluster' | 'reloaderAnnotations'>,
  namespace: string,
  config: ConfigId,
  workloads: readonly string[],
): string[] {
  return workloads.filter((key) => {
    const workload = workloadAt(cluster, namespace, key);
    if (workload === undefined) return false;
    const adoption = adoptionOf({ cluster, reloaderAnnotations, workload, references: [config] });
    return adoption.lost.has(configKey(config.kind, config.name));
  });
}

/** Returns the workloads of a rollout whose opt-out waits, with the reason, for its condition. */
export function optOutWaits(
  context: Pick<AdoptionQuery, 'cluster' | 'reloaderAnnotations'>,
  namespace: string,
  workloads: readonly string[],
): string[] {
  return workloads.flatMap((key) => {
    const workload = workloadAt(context.cluster, namespace, key);
    const { obstacles } = workload ? adoptionOfWorkload(context, workload) : { obstacles: [] };
    return obstacles.map((obstacle) => `${workloadText(key)}: ${obstacle}`);
  });
}

/** Returns the workloads of a rollout that want a reload and are recycled, for its condition. */
export function reloadUnavailable(
  { cluster, reloads }: { cluster: ClusterCache; reloads: boolean },
  namespace: string,
  workloads: readonly string[],
): string[] {
  if (reloads) return [];
  return workloads.filter((key) => {
    const workload = workloadAt(cluster, namespace, key);
    return workload && deliveryMode(workload.annotations, workload.templateAnnotations) === 'reload';
  });
}

/** Returns the configs that a pod template references; a version counts as its config. */
export function referencedConfigs(cluster: ClusterCache, { namespace, references }: Workload): ConfigId[] {
  return distinct(
    references.map((reference) => ({
      kind: reference.kind,
      name: configNamed(cluster, namespace, reference),
    })),
  );
}

/** Whether pods of the workload may be replaced, by the cache. */
export function mayBeUpdated({ cluster }: Pick<AdoptionQuery, 'cluster'>, workload: Workload): boolean {
  const { namespace } = workload;
  return mayReplacePods(workload, {
    originalName: (kind, name) => originalName(cluster, namespace, kind, name),
    before: managedBefore(cluster, workload),
    obstacleTo: (config) => cachedObstacle(cluster, namespace, config),
  });
}

/** Returns nothing for a workload that is being created: it is not the earlier workload with the same name. */
function managedBefore(
  cluster: ClusterCache,
  { namespace, kind, name, uid }: AdoptableWorkload,
): Set<ConfigKey> {
  const { cache } = cluster.rollouts;
  const keys =
    uid === undefined ? [] : [...cache.keysBy('workload', `${namespace}/${workloadKey(kind, name)}`)];
  return new Set(keys.flatMap((key) => cache.get(key) ?? []).map(keyOfRollout));
}
