import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigOf } from '../../core/references/assignment.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { configLabelValue, rolloutName } from '../../core/version/object-names.ts';
import { type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { readWorkloadKey, workloadKey } from '../../core/workload/workload-key.ts';
import { type ClusterCache, referenceKey } from './cluster-cache.ts';
import type { ConfigMetadata, Original } from './configs.ts';
import type { Pod } from './pods.ts';
import type { Revision } from './revisions.ts';
import type { Workload } from './workloads.ts';

/** Questions that several reconcilers ask of the cache. Each is answered from an index. */

export function rolloutOf(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  name: string,
): ConfigRollout | undefined {
  const rollout = rolloutNamedFor(cluster, namespace, kind, name);
  return isOf(rollout, kind, name) ? rollout : undefined;
}

/** The rollout that has the name for this config. A long name is cut, so that it may be another config's. */
export function rolloutNamedFor(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  name: string,
): ConfigRollout | undefined {
  return cluster.rollouts.cache.get(`${namespace}/${rolloutName(kind, name)}`);
}

export function isOf(rollout: ConfigRollout | undefined, kind: ConfigKind, name: string): boolean {
  return rollout?.spec.config.kind === kind && rollout.spec.config.name === name;
}

/** One of the rollouts that a workload is managed for; they all are of one group. */
export function rolloutManaging(
  cluster: ClusterCache,
  { namespace, kind, name }: Workload,
): ConfigRollout | undefined {
  const [key] = cluster.rollouts.cache.keysBy('workload', `${namespace}/${workloadKey(kind, name)}`);
  return key === undefined ? undefined : cluster.rollouts.cache.get(key);
}

export function rolloutWithUid(cluster: ClusterCache, uid: string): ConfigRollout | undefined {
  const [key] = cluster.rollouts.cache.keysBy('uid', uid);
  return key === undefined ? undefined : cluster.rollouts.cache.get(key);
}

export function keyOfRollout({ spec }: ConfigRollout): ConfigKey {
  return configKey(spec.config.kind, spec.config.name);
}

export function configMetadataOf(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  name: string,
): ConfigMetadata | undefined {
  return cluster.configs[kind]?.cache.get(`${namespace}/${name}`);
}

/** The config of a rollout, as it is now; undefined when there is none, or it does not carry our label yet. */
export function originalOf(cluster: ClusterCache, { spec, metadata }: ConfigRollout): Original | undefined {
  return cluster.originals[spec.config.kind]?.cache.get(`${metadata.namespace}/${spec.config.name}`);
}

export function versionsOf(cluster: ClusterCache, rollout: ConfigRollout): VersionMetadata[] {
  const cache = cluster.configs[rollout.spec.config.kind]?.cache;
  const keys = cache?.keysBy('versionOf', rollout.metadata.uid ?? '') ?? [];
  return [...keys].flatMap((key) => {
    const metadata = cache?.get(key);
    const version = metadata?.deleting ? undefined : versionMetadata(metadata);
    // The guards let people make versions of configs they may edit: one that names another config is not ours.
    return version?.config === rollout.spec.config.name ? version : [];
  });
}

/** Versions of the same config whose rollout is gone: it was deleted, and perhaps made anew from a backup. */
export function orphanedVersions(
  cluster: ClusterCache,
  { metadata, spec }: ConfigRollout,
): VersionMetadata[] {
  const { kind, name } = spec.config;
  return versionsOfConfig(cluster, metadata.namespace ?? '', kind, name).filter(
    ({ rolloutUid }) => rolloutWithUid(cluster, rolloutUid) === undefined,
  );
}

/** All versions of a config, whether it has a rollout or not. */
export function versionsOfConfig(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  name: string,
): VersionMetadata[] {
  const cache = cluster.configs[kind]?.cache;
  const keys = cache?.keysBy('group', `${namespace}/${configLabelValue(name)}`) ?? [];
  return [...keys].flatMap((key) => {
    const metadata = cache?.get(key);
    const version = metadata?.deleting ? undefined : versionMetadata(metadata);
    return version?.config === name ? version : [];
  });
}

/** Which managed config a name in a template stands for: see ConfigOf. */
export function configOf(cluster: ClusterCache, namespace: string): ConfigOf {
  return (kind, name) => {
    const config = originalName(cluster, namespace, kind, name);
    return rolloutOf(cluster, namespace, kind, config) === undefined ? undefined : config;
  };
}

/** The config itself, or the one that it is a version of, managed or not. */
export function originalName(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  name: string,
): string {
  const metadata = configMetadataOf(cluster, namespace, kind, name);
  return (metadata === undefined ? undefined : versionMetadata(metadata)?.config) ?? name;
}

export function workloadAt(cluster: ClusterCache, namespace: string, key: string): Workload | undefined {
  const { kind, name } = readWorkloadKey(key);
  return isWorkloadKind(kind) ? cluster.workloads[kind].cache.get(`${namespace}/${name}`) : undefined;
}

export function isWorkloadKind(kind: string): kind is WorkloadKind {
  return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'DaemonSet';
}

/** The workloads whose template names this ConfigMap or Secret. */
export function workloadsNaming(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  name: string,
): Workload[] {
  const index = referenceKey(namespace, kind, name);
  return Object.values(cluster.workloads).flatMap(({ cache }) =>
    [...cache.keysBy('reference', index)].flatMap((key) => cache.get(key) ?? []),
  );
}

/** The old and new templates of a workload. */
export function revisionsOf(cluster: ClusterCache, { kind, uid }: Workload): Revision[] {
  const { cache } = cluster.revisions[kind === 'Deployment' ? 'ReplicaSet' : 'ControllerRevision'];
  return [...cache.keysBy('ownerUid', uid)].flatMap((key) => cache.get(key) ?? []);
}

/** A Deployment's pods belong to its ReplicaSets, those of the others to themselves. */
export function podsOf(cluster: ClusterCache, workload: Workload): Pod[] {
  const isDeployment = workload.kind === 'Deployment';
  const owners = isDeployment ? revisionsOf(cluster, workload).map(({ uid }) => uid) : [workload.uid];
  const { cache } = cluster.pods;
  return owners.flatMap((owner) =>
    [...cache.keysBy('ownerUid', owner)].flatMap((key) => cache.get(key) ?? []),
  );
}
