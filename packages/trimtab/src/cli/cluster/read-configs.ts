import type { KubeClient, ListOptions } from '@trimtab/kube/client.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import { configMaps, type Resource, secrets } from '@trimtab/kube/resource.ts';
import { isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject, ObjectMeta } from '@trimtab/kube/wire.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { byCreation, type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';
import { refusedTypes } from '../../core/version/version-plan.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';
import type { AdoptionPlanInput } from '../../view/adoption-plan.ts';
import { requireTrimtab } from './require-trimtab.ts';

/** What a plan of an opt-in needs besides the workloads. Bodies of ConfigMaps and Secrets are not read. */
export interface ConfigsOfCluster extends Pick<AdoptionPlanInput, 'configOf' | 'rollouts' | 'hidden'> {
  /** All versions of a config, also those of an earlier rollout. */
  versionsOf(namespace: string, config: ConfigId): VersionMetadata[];
}

/** Reads the configs and rollouts of a namespace, or of all namespaces. Throws when Trimtab is not installed. */
export async function readConfigs(
  client: KubeClient,
  namespace: string | undefined,
): Promise<ConfigsOfCluster> {
  const scope = namespace === undefined ? {} : { namespace };
  // The type of a Secret is not part of its metadata, but the API server can select by it.
  const withVersions = refusedTypes.map((type) => `type!=${type}`).join(',');
  const [maps, all, usable, rollouts] = await Promise.all([
    listed<KubeObject>(client, configMaps, { ...scope, projection: 'metadata' }),
    listed<KubeObject>(client, secrets, { ...scope, projection: 'metadata' }),
    listed<KubeObject>(client, secrets, { ...scope, projection: 'metadata', fieldSelector: withVersions }),
    listed<ConfigRollout>(client, configRollouts, scope).catch(async (error: unknown) => {
      if (isNotFound(error)) await requireTrimtab(client);
      throw error;
    }),
  ]);
  const byName = { ConfigMap: indexed(maps), Secret: indexed(all) };
  const usableSecrets = indexed(usable);
  return {
    rollouts: rollouts ?? [],
    hidden: [
      ...(maps === undefined ? ['configmaps'] : []),
      ...(all === undefined ? ['secrets'] : []),
      ...(rollouts === undefined ? ['configrollouts'] : []),
    ],
    configOf(where, { kind, name }) {
      const known = byName[kind];
      const object = known?.get(`${where}/${name}`);
      if (known === undefined) return 'unknown';
      if (object === undefined) return 'missing';
      const isRefused = kind === 'Secret' && usableSecrets?.has(`${where}/${name}`) === false;
      return { metadata: object.metadata, isRefused };
    },
    versionsOf: (where, { kind, name }) =>
      [...(byName[kind]?.values() ?? [])]
        .flatMap(({ metadata }) => versionMetadata({ kind, ...marksOf(metadata) }) ?? [])
        .filter((version) => version.namespace === where && version.config === name)
        .sort(byCreation),
  };
}

function marksOf({ namespace = '', name = '', uid = '', ...marks }: ObjectMeta) {
  const { labels = {}, annotations = {}, ownerReferences = [] } = marks;
  return { namespace, name, uid, labels, annotations, ownerReferences };
}

function indexed(objects: readonly KubeObject[] | undefined): ReadonlyMap<string, KubeObject> | undefined {
  return (
    objects && new Map(objects.map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]))
  );
}

/** Returns undefined when the caller may not list the resource. */
async function listed<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  options: ListOptions,
): Promise<T[] | undefined> {
  let found: T[] = [];
  try {
    for await (const page of listAll<T>(client, resource, options)) {
      if (page.type === 'restart') found = [];
      else found.push(...page.items);
    }
    return found;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
