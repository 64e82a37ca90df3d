import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { type Adoption, adopt } from '../../core/workload/adoption.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { type ConfigId, parseManage, parseRestart } from '../../core/workload/opt-in.ts';
import { reloaderManagement } from '../../core/workload/reloader-annotations.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configMetadataOf, keyOfRollout, originalName, rolloutOf, workloadAt } from '../cache/lookup.ts';
import { distinct } from '../cache/pods.ts';
import type { Workload } from '../cache/workloads.ts';

/** What must be known of a workload; one that is just being created has no uid yet. */
interface AdoptableWorkload {
  namespace: string;
  kind: WorkloadKind;
  name: string;
  uid: string | undefined;
  annotations: Record<string, string>;
}

interface AdoptionQuestion {
  cluster: ClusterCache;
  reloaderAnnotations: boolean;
  workload: AdoptableWorkload;
  /** Configs, versions counted as theirs. */
  references: readonly { kind: ConfigKind; name: string }[];
  /** Those of them of which it names a version. */
  assigned?: ReadonlySet<ConfigKey>;
}

/** Which configs are managed for a workload: one answer for reconcilers, conditions and the webhook. */
export function adoptionOf({
  cluster,
  reloaderAnnotations,
  workload,
  references,
  assigned = new Set(),
}: AdoptionQuestion): Adoption {
  const { namespace, annotations, uid } = workload;
  if (wantsReload(annotations)) return nothing;
  const metadata = (kind: ConfigKind, name: string) => configMetadataOf(cluster, namespace, kind, name);
  const manage = parseManage(annotations);
  const management = 'problem' in manage ? ({ mode: 'unsaid' } as const) : manage.value;
  const fromReloader =
    reloaderAnnotations && management.mode === 'unsaid'
      ? [reloaderManagement(annotations, references, (kind, name) => metadata(kind, name)?.annotations)]
      : [];
  return adopt({
    managements: [management, ...fromReloader],
    references,
    ownedBy: (kind, name) =>
      metadata(kind, name)?.ownerReferences.some((owner) => owner.uid === uid) ?? false,
    before: managedBefore(cluster, workload),
    assigned,
  });
}

/**
 * Whether a config that this workload wants managed is there and not on its list yet: its rollout is being made. To
 * move the workload without it would be two rolling updates.
 */
export function awaitsConfigs(
  { cluster, reloaderAnnotations }: Pick<AdoptionQuestion, 'cluster' | 'reloaderAnnotations'>,
  workload: Workload,
  listed: ReadonlySet<ConfigKey>,
): boolean {
  const { namespace } = workload;
  const references = referencedConfigs(cluster, workload);
  const { managed } = adoptionOf({ cluster, reloaderAnnotations, workload, references });
  return references.some(({ kind, name }) => {
    const key = configKey(kind, name);
    if (!managed.has(key) || listed.has(key)) return false;
    // One whose rollout has to have another one's name never gets any.
    const rollout = rolloutOf(cluster, namespace, kind, name);
    const canBeListed = rollout === undefined || rollout.spec.config.name === name;
    return canBeListed && configMetadataOf(cluster, namespace, kind, name)?.deleting === false;
  });
}

/** Workloads of a rollout whose opt-in is gone, for its condition. */
export function optInLost(
  { cluster, reloaderAnnotations }: Pick<AdoptionQuestion, 'cluster' | 'reloaderAnnotations'>,
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

/** The configs that a workload's template names, versions counted as theirs. */
export function referencedConfigs(cluster: ClusterCache, { namespace, references }: Workload): ConfigId[] {
  return distinct(
    references.map(({ kind, name }) => ({ kind, name: originalName(cluster, namespace, kind, name) })),
  );
}

const nothing: Adoption = { managed: new Set(), lost: new Set(), ended: new Set(), toRevert: new Set() };

/**
 * A workload that asks for a reload must not be restarted, and reloads come with the agent: until then its pods read
 * the live config as they do without us.
 */
export function wantsReload(annotations: Record<string, string>): boolean {
  const restart = parseRestart(annotations);
  return 'value' in restart && restart.value === 'reload';
}

/** Whether its pods may be replaced at all: not when it opted out, and is still on the list until it is released. */
export function mayBeMoved(annotations: Record<string, string>): boolean {
  const manage = parseManage(annotations);
  const optedOut = 'value' in manage && manage.value.mode === 'none';
  return !optedOut && !wantsReload(annotations);
}

/** A workload that is being created is not the one that had its name before. */
function managedBefore(
  cluster: ClusterCache,
  { namespace, kind, name, uid }: AdoptableWorkload,
): Set<ConfigKey> {
  const { cache } = cluster.rollouts;
  const keys =
    uid === undefined ? [] : [...cache.keysBy('workload', `${namespace}/${workloadKey(kind, name)}`)];
  return new Set(keys.flatMap((key) => cache.get(key) ?? []).map(keyOfRollout));
}
