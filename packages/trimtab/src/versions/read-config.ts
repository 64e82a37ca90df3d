import type { KubeClient, ListOptions } from '@trimtab/kube/client.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { KubeObject, ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../api/config-body.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { configRollouts } from '../api/config-rollout.ts';
import { labels } from '../api/names.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { isVoid, knownLedger } from '../core/version/ledger.ts';
import { configLabelValue, rolloutName, versionObjectName } from '../core/version/object-names.ts';
import { byCreation, type VersionMetadata, versionMetadata } from '../core/version/version-metadata.ts';

// All reads in this file use the credentials of the client. The API server refuses what its user may not read.

/** The part of a rollout that identifies its versions. */
type Owner = Pick<ConfigRollout, 'metadata'>;

/** A version with the metadata of its object. */
export interface FoundVersion {
  version: VersionMetadata;
  metadata: ObjectMeta;
}

/** Returns undefined when the config is not managed or does not exist. */
export function readRollout(
  client: KubeClient,
  { kind, namespace, name }: ConfigAddress,
  signal?: AbortSignal,
): Promise<ConfigRollout | undefined> {
  const where = { namespace, name: rolloutName(kind, name) };
  return getIfExists<ConfigRollout>(client, configRollouts, where, reading(signal));
}

export function readLive(
  client: KubeClient,
  { kind, namespace, name }: ConfigAddress,
  signal?: AbortSignal,
): Promise<ConfigBody | undefined> {
  return getIfExists<ConfigBody>(client, configResources[kind], { namespace, name }, reading(signal));
}

/** Reads a version with its content, by its name. */
export async function readVersion(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
  versionName: string,
  signal?: AbortSignal,
): Promise<{ version: VersionMetadata; body: ConfigBody } | undefined> {
  const { kind, namespace, name } = address;
  const read = async (object: string) => {
    const where = { namespace, name: object };
    const body = await getIfExists<ConfigBody>(client, configResources[kind], where, reading(signal));
    const version = body && versionOfRollout(address, rollout, body);
    return version?.name === versionName && body ? { version, body } : undefined;
  };
  const found = await read(versionObjectName(name, rollout.metadata.uid ?? '', versionName));
  if (found !== undefined) return found;
  // The object of a version that an earlier rollout created has another name.
  const versions = await listVersions(client, address, rollout, signal);
  const adopted = versions.find((each) => each.name === versionName);
  return adopted && read(adopted.object);
}

/** Reads a version without its content, by its object's name. Returns undefined for an object of another rollout. */
export async function readVersionMetadata(
  client: KubeClient,
  address: ConfigAddress,
  rollout: Owner,
  object: string,
  signal?: AbortSignal,
): Promise<VersionMetadata | undefined> {
  const where = { namespace: address.namespace, name: object };
  const options = { projection: 'metadata' as const, ...reading(signal) };
  const found = await getIfExists<KubeObject>(client, configResources[address.kind], where, options);
  return found && versionOfRollout(address, rollout, found);
}

/** Lists all versions of a rollout without their content, in the order of their creation. */
export async function listVersions(
  client: KubeClient,
  address: ConfigAddress,
  rollout: Owner,
  signal?: AbortSignal,
): Promise<VersionMetadata[]> {
  return versionsOf(rollout, await listConfigVersions(client, address, signal)).map(({ version }) => version);
}

/**
 * Lists all version objects of a config without their content, in the order of their creation: also those of an earlier
 * rollout and those that are void.
 */
export async function listConfigVersions(
  client: KubeClient,
  address: ConfigAddress,
  signal?: AbortSignal,
): Promise<FoundVersion[]> {
  const found = await listVersionObjects(client, address, { projection: 'metadata', ...reading(signal) });
  return found.map(({ version, body }) => ({ version, metadata: body.metadata }));
}

/** Like `listConfigVersions`, with the content of each version. */
export function listVersionBodies(
  client: KubeClient,
  address: ConfigAddress,
  signal?: AbortSignal,
): Promise<{ version: VersionMetadata; body: ConfigBody }[]> {
  return listVersionObjects(client, address, reading(signal));
}

async function listVersionObjects(
  client: KubeClient,
  address: ConfigAddress,
  options: Pick<ListOptions, 'projection' | 'signal'>,
): Promise<{ version: VersionMetadata; body: ConfigBody }[]> {
  let found: { version: VersionMetadata; body: ConfigBody }[] = [];
  for await (const page of listAll<ConfigBody>(client, configResources[address.kind], {
    namespace: address.namespace,
    labelSelector: `${labels.config}=${configLabelValue(address.name)},${labels.versionOf}`,
    ...options,
  })) {
    if (page.type === 'restart') found = [];
    else
      for (const body of page.items) {
        const version = versionOfConfig(address, body);
        if (version !== undefined) found.push({ version, body });
      }
  }
  return found.sort((a, b) => byCreation(a.version, b.version));
}

/** Returns those versions that belong to the rollout and are not void. */
export function versionsOf<T extends { version: VersionMetadata }>(rollout: Owner, found: readonly T[]): T[] {
  return found.filter(({ version }) => belongsTo(rollout, version));
}

/** Returns undefined for an object that is no version of this rollout, or a void one. */
export function versionOfRollout(
  address: ConfigAddress,
  rollout: Owner,
  object: KubeObject,
): VersionMetadata | undefined {
  const version = versionOfConfig(address, object);
  return version && belongsTo(rollout, version) ? version : undefined;
}

function belongsTo(rollout: Owner, version: VersionMetadata): boolean {
  return version.rolloutUid === rollout.metadata.uid && !isVoid(knownLedger(rollout), version);
}

/** Returns undefined for an object that names another config; see guard-versions. */
export function versionOfConfig(
  { kind, name }: ConfigAddress,
  { metadata: own }: KubeObject,
): VersionMetadata | undefined {
  const version = versionMetadata({
    kind,
    namespace: own.namespace ?? '',
    name: own.name ?? '',
    uid: own.uid ?? '',
    labels: own.labels ?? {},
    annotations: own.annotations ?? {},
    ownerReferences: own.ownerReferences ?? [],
  });
  return version?.config === name ? version : undefined;
}

function reading(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}
