import type { KubeClient } from '@trimtab/kube/client.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import { pods, type Resource, workloadResources } from '@trimtab/kube/resource.ts';
import { ApiError, isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { type ReloadReport, reloadReports } from '../../api/reload-report.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { mergeReports } from '../../core/reload/merge-reports.ts';
import { parseWave } from '../../core/workload/opt-in.ts';
import { listConfigVersions } from '../../versions/read-config.ts';
import { type TreePod, treePod } from '../../view/observed-pod.ts';
import { type RolloutTree, rolloutTree } from '../../view/rollout-tree.ts';

/** A workload, reduced to what a tree shows of it. */
export interface TreeWorkload {
  namespace: string;
  /** `Deployment/web` */
  key: string;
  wave: number;
}

/** The objects that trees are built from. A list that may not be read is undefined. */
export interface TreeSource {
  workloads: readonly TreeWorkload[] | undefined;
  pods: readonly TreePod[] | undefined;
  reports: readonly ReloadReport[] | undefined;
  /** Names of versions by object. */
  versions: ReadonlyMap<string, string>;
}

export function treeOf(
  rollout: ConfigRollout,
  { workloads, pods, reports, versions }: TreeSource,
): RolloutTree {
  const { namespace } = rollout.metadata;
  const isHere = (object: { namespace?: string | undefined }) => object.namespace === namespace;
  return rolloutTree({
    rollout,
    waves: new Map(workloads?.filter(isHere).map(({ key, wave }) => [key, wave])),
    pods: pods?.filter(isHere),
    reports: mergeReports(reports?.filter(({ metadata }) => isHere(metadata)).map(({ spec }) => spec) ?? []),
    versions,
  });
}

export function treeWorkload({ kind }: Resource): (object: KubeObject) => TreeWorkload {
  return ({ metadata }) => {
    const wave = parseWave(metadata.annotations);
    return {
      namespace: metadata.namespace ?? '',
      key: `${kind}/${metadata.name}`,
      wave: 'value' in wave ? wave.value : 0,
    };
  };
}

/** Reads everything that trees show, once. `namespace` undefined: all namespaces. */
export async function readTreeSource(
  client: KubeClient,
  namespace: string | undefined,
  rollouts: readonly ConfigRollout[],
): Promise<TreeSource> {
  const read = <T>(resource: Resource, transform: (object: KubeObject) => T) =>
    readAll(client, resource, namespace, transform);
  const hasReloads = rollouts.some(({ status }) => status?.workloads?.some(({ mode }) => mode === 'Reload'));
  const [workloads, found, reports, versions] = await Promise.all([
    Promise.all(Object.values(workloadResources).map((each) => read(each, treeWorkload(each)))),
    read(pods, treePod),
    hasReloads ? read(reloadReports, (object) => object as ReloadReport) : [],
    rollouts.length === 1 && rollouts[0] !== undefined ? readVersionNames(client, rollouts[0]) : new Map(),
  ]);
  return {
    workloads: workloads.every((list) => list === undefined)
      ? undefined
      : workloads.flatMap((list) => list ?? []),
    ...{ pods: found, reports, versions },
  };
}

/** Versions that the rollout does not mention. Without the right to list them, pods show the object's name. */
export async function readVersionNames(
  client: KubeClient,
  { metadata, spec }: ConfigRollout,
): Promise<Map<string, string>> {
  const address: ConfigAddress = { ...spec.config, namespace: metadata.namespace ?? '' };
  try {
    const found = await listConfigVersions(client, address);
    return new Map(found.map(({ version }) => [version.object, version.name]));
  } catch (error) {
    if (error instanceof ApiError) return new Map();
    throw error;
  }
}

/** Lists the ConfigRollouts of a namespace, or of all namespaces. */
export async function readRollouts(
  client: KubeClient,
  namespace: string | undefined,
): Promise<ConfigRollout[]> {
  const found: ConfigRollout[] = [];
  for await (const page of listAll<ConfigRollout>(
    client,
    configRollouts,
    namespace === undefined ? {} : { namespace },
  ))
    if (page.type === 'restart') found.length = 0;
    else found.push(...page.items);
  return found;
}

/** Returns undefined when the caller may not list the resource, or when the cluster does not have it. */
async function readAll<T>(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  transform: (object: KubeObject) => T,
): Promise<T[] | undefined> {
  const found: T[] = [];
  try {
    for await (const page of listAll(client, resource, namespace === undefined ? {} : { namespace }))
      if (page.type === 'restart') found.length = 0;
      else found.push(...page.items.map(transform));
    return found;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
