import type { ConfigRollout } from '../../api/config-rollout.ts';
import {
  assignmentHash,
  type ConfigOf,
  type ManagedReferences,
  readTemplate,
} from '../../core/references/assignment.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { type ConfigKind, type Reference, writtenName } from '../../core/references/references.ts';
import { isDeletedObject, isVoid, knownLedger } from '../../core/version/ledger.ts';
import { configLabelValue, configNameIn, rolloutName } from '../../core/version/object-names.ts';
import { type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import type { Pod } from '../../core/workload/observe-pod.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { isWorkloadKind, readWorkloadKey, workloadKey } from '../../core/workload/workload-key.ts';
import { type ClusterCache, referenceKey } from './cluster-cache.ts';
import type { ConfigMetadata, Original } from './configs.ts';
import type { Revision } from './revisions.ts';

// Lookups that several reconcilers share. Each uses an index of the cache.

export function rolloutOf(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  name: string,
): ConfigRollout | undefined {
  const rollout = rolloutNamedFor(cluster, namespace, kind, name);
  return isOf(rollout, kind, name) ? rollout : undefined;
}

/** Returns the rollout with the name for this config. Long names are shortened, so it may belong to another config. */
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

/** Returns one of the rollouts that manage a workload; all of them belong to the same group. */
export function rolloutManaging(cluster: ClusterCache, workload: Workload): ConfigRollout | undefined {
  return rolloutsManaging(cluster, workload)[0];
}

export function rolloutsManaging(
  cluster: ClusterCache,
  { namespace, kind, name }: Pick<Workload, 'namespace' | 'kind' | 'name'>,
): ConfigRollout[] {
  const { cache } = cluster.rollouts;
  const keys = cache.keysBy('workload', `${namespace}/${workloadKey(kind, name)}`);
  return [...keys].flatMap((key) => cache.get(key) ?? []);
}

/** Returns all rollouts that manage a workload of this one, at least once each. */
export function rolloutsSharingWorkloads(cluster: ClusterCache, rollout: ConfigRollout): ConfigRollout[] {
  const namespace = rollout.metadata.namespace ?? '';
  return managedWorkloads(rollout).flatMap((key) => {
    const { kind, name } = readWorkloadKey(key);
    return isWorkloadKind(kind) ? rolloutsManaging(cluster, { namespace, kind, name }) : [];
  });
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

/** Returns the live config of a rollout; undefined when it does not exist or is not labelled yet. */
export function originalOf(cluster: ClusterCache, { spec, metadata }: ConfigRollout): Original | undefined {
  return cluster.originals[spec.config.kind]?.cache.get(`${metadata.namespace}/${spec.config.name}`);
}

/** Returns the versions of a rollout, without void ones: their names belong to versions that were deleted. */
export function versionsOf(cluster: ClusterCache, rollout: ConfigRollout): VersionMetadata[] {
  const cache = cluster.configs[rollout.spec.config.kind]?.cache;
  const keys = cache?.keysBy('versionOf', rollout.metadata.uid ?? '') ?? [];
  const ledger = knownLedger(rollout);
  return [...keys].flatMap((key) => {
    const metadata = cache?.get(key);
    const version = metadata?.deleting ? undefined : versionMetadata(metadata);
    // The admission policies let users create versions of configs that they may edit, with any rollout uid. A version
    // that names another config does not belong to this rollout.
    if (version?.config !== rollout.spec.config.name) return [];
    return isVoid(ledger, version) || cluster.seenDeletions.isVoid(version) ? [] : version;
  });
}

/**
 * Returns versions of the same config whose rollout no longer exists, because it was deleted and possibly restored
 * from a backup with another uid.
 */
export function orphanedVersions(
  cluster: ClusterCache,
  { metadata, spec }: ConfigRollout,
): VersionMetadata[] {
  const { kind, name } = spec.config;
  return versionsOfConfig(cluster, metadata.namespace ?? '', kind, name).filter(
    ({ rolloutUid }) => rolloutWithUid(cluster, rolloutUid) === undefined,
  );
}

/** Returns all versions of a config, with or without a rollout. */
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

/** Returns all version objects of the rollout's config, also those of an earlier rollout and void ones. */
export function existingVersions(
  cluster: ClusterCache,
  { metadata, spec }: ConfigRollout,
): VersionMetadata[] {
  return versionsOfConfig(cluster, metadata.namespace ?? '', spec.config.kind, spec.config.name);
}

/** Returns a function that maps a name in a pod template to the managed config: see ConfigOf. */
export function configOf(cluster: ClusterCache, namespace: string): ConfigOf {
  return (kind, name) => {
    const config = originalName(cluster, namespace, kind, name);
    return rolloutOf(cluster, namespace, kind, config) === undefined ? undefined : config;
  };
}

/**
 * Returns the config that `name` is a version of, or `name` itself; the config need not be managed. A template may name
 * a version that was purged, as after `kubectl rollout undo`: it still belongs to its config, and is shown as pinned.
 */
export function originalName(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  name: string,
): string {
  const metadata = configMetadataOf(cluster, namespace, kind, name);
  if (metadata !== undefined) return versionMetadata(metadata)?.config ?? name;
  return configOfDeleted(cluster, namespace, kind, name) ?? name;
}

/** Returns the config that a reference of a pod template is about: it names the config, or one of its versions. */
export function configNamed(
  cluster: ClusterCache,
  namespace: string,
  reference: Pick<Reference, 'kind' | 'name' | 'written'>,
): string {
  return originalName(cluster, namespace, reference.kind, writtenName(reference));
}

/** Returns the config whose ledger records the deletion of this object; undefined when there is none. */
function configOfDeleted(
  cluster: ClusterCache,
  namespace: string,
  kind: ConfigKind,
  object: string,
): string | undefined {
  const config = configNameIn(object);
  const rollout = config === undefined ? undefined : rolloutOf(cluster, namespace, kind, config);
  return rollout !== undefined && isDeletedObject(knownLedger(rollout), object) ? config : undefined;
}

export function workloadAt(cluster: ClusterCache, namespace: string, key: string): Workload | undefined {
  const { kind, name } = readWorkloadKey(key);
  return isWorkloadKind(kind) ? cluster.workloads[kind].cache.get(`${namespace}/${name}`) : undefined;
}

/** Returns the workloads whose pod template references this ConfigMap or Secret. */
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

/** Returns the ReplicaSets or ControllerRevisions of a workload. */
function revisionsOf(cluster: ClusterCache, { kind, uid }: Pick<Workload, 'kind' | 'uid'>): Revision[] {
  const { cache } = cluster.revisions[kind === 'Deployment' ? 'ReplicaSet' : 'ControllerRevision'];
  return [...cache.keysBy('ownerUid', uid)].flatMap((key) => cache.get(key) ?? []);
}

/**
 * Returns the number of the newest revision of a workload that references exactly `wanted`, to recover with
 * `kubectl rollout undo --to-revision`.
 */
export function revisionWith(
  cluster: ClusterCache,
  workload: Pick<Workload, 'kind' | 'uid'>,
  configOf: ConfigOf,
  wanted: ManagedReferences,
): number | undefined {
  const good = assignmentHash(wanted);
  const numbers = revisionsOf(cluster, workload)
    .filter(({ references }) => assignmentHash(readTemplate(references, configOf).references) === good)
    .flatMap(({ number }) => number ?? []);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

/**
 * Returns the pods of a workload. The pods of a Deployment are owned by its ReplicaSets, other pods by the workload.
 */
export function podsOf(cluster: ClusterCache, workload: Workload): Pod[] {
  const isDeployment = workload.kind === 'Deployment';
  const owners = isDeployment ? revisionsOf(cluster, workload).map(({ uid }) => uid) : [workload.uid];
  const { cache } = cluster.pods;
  return owners.flatMap((owner) =>
    [...cache.keysBy('ownerUid', owner)].flatMap((key) => cache.get(key) ?? []),
  );
}
