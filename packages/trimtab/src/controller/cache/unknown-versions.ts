import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { configNameIn, mayBeVersionOf } from '../../core/version/object-names.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { versionOfConfig } from '../../versions/read-config.ts';
import type { ControllerContext } from '../context.ts';
import type { ClusterCache } from './cluster-cache.ts';
import { configMetadataOf, originalName, rolloutOf, rolloutsManaging } from './lookup.ts';

/** The workload whose template names objects, which may not exist yet. */
type Naming = Pick<Workload, 'namespace' | 'kind' | 'name' | 'references'>;

/** An object that a template names, and the config that it may be a version of. */
export interface UnknownObject {
  object: string;
  config: ConfigAddress;
}

/**
 * Returns the objects that a template names, that no watch has delivered, and that have the name of a version of a managed
 * config. Admission creates versions that a template names at once, and the watches of versions and workloads are independent:
 * such a reference is not one to another object.
 */
export function unknownObjects(cluster: ClusterCache, workload: Naming): UnknownObject[] {
  const { namespace } = workload;
  const managing = rolloutsManaging(cluster, workload);
  return workload.references.flatMap(({ kind, name: object }) => {
    if (cluster.configs[kind] === undefined) return [];
    if (configMetadataOf(cluster, namespace, kind, object) !== undefined) return [];
    if (originalName(cluster, namespace, kind, object) !== object) return [];
    const named = rolloutOf(cluster, namespace, kind, configNameIn(object) ?? '');
    const rollout = [...managing, ...(named ? [named] : [])].find(
      ({ spec: { config } }) => config.kind === kind && mayBeVersionOf(config.name, object),
    );
    return rollout === undefined ? [] : [{ object, config: { namespace, ...rollout.spec.config } }];
  });
}

/** Returns those of the objects that exist and are versions of their configs. */
export async function existingVersions(
  { direct }: Pick<ControllerContext, 'direct'>,
  objects: readonly UnknownObject[],
  signal: AbortSignal,
): Promise<UnknownObject[]> {
  const distinct = new Map(
    objects.map((each) => [`${each.config.kind}/${each.config.namespace}/${each.object}`, each]),
  );
  const found = await Promise.all(
    [...distinct.values()].map(async ({ object, config }) => {
      const where = { namespace: config.namespace, name: object };
      const options = { projection: 'metadata' as const, signal };
      const live = await getIfExists(direct, configResources[config.kind], where, options);
      return live !== undefined && versionOfConfig(config, live) !== undefined ? [{ object, config }] : [];
    }),
  );
  return found.flat();
}

/** Whether the cache lacks a version that one of these workloads references, so that its references would be misread. */
export async function lacksVersions(
  context: Pick<ControllerContext, 'cluster' | 'direct'>,
  workloads: readonly Naming[],
  signal: AbortSignal,
): Promise<boolean> {
  const objects = workloads.flatMap((workload) => unknownObjects(context.cluster, workload));
  return (await existingVersions(context, objects, signal)).length > 0;
}
