import type { KubeClient } from '@trimtab/kube/client.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { KubeObject, ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { configRollouts } from '../../../api/config-rollout.ts';
import { labels } from '../../../api/names.ts';
import { rolloutName, versionObjectName } from '../../../core/version/object-names.ts';
import { type VersionMetadata, versionMetadata } from '../../../core/version/version-metadata.ts';
import type { ConfigAddress } from '../addressing/config-address.ts';

/** The part of a rollout that identifies its versions. */
type Owner = Pick<ConfigRollout, 'metadata'>;

// All reads in this file use the caller's credentials. The API server itself refuses what the caller may not read.

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

/** Reads a version with its content. The name of its object is derived from the version's name. */
export async function readVersion(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
  versionName: string,
  signal?: AbortSignal,
): Promise<{ version: VersionMetadata; body: ConfigBody } | undefined> {
  const { kind, namespace, name } = address;
  const where = { namespace, name: versionObjectName(name, rollout.metadata.uid ?? '', versionName) };
  const body = await getIfExists<ConfigBody>(client, configResources[kind], where, reading(signal));
  const version = body && versionMetadataOf(address, rollout, body);
  return version && { version, body };
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
  return found && versionMetadataOf(address, rollout, found);
}

/** Lists all versions without their content, in the order of their creation. */
export async function listVersions(
  client: KubeClient,
  address: ConfigAddress,
  rollout: Owner,
  signal?: AbortSignal,
): Promise<VersionMetadata[]> {
  return (await listVersionObjects(client, address, rollout, signal)).map(({ version }) => version);
}

/** Like `listVersions`, with the metadata of each object. */
export async function listVersionObjects(
  client: KubeClient,
  address: ConfigAddress,
  rollout: Owner,
  signal?: AbortSignal,
): Promise<{ version: VersionMetadata; metadata: ObjectMeta }[]> {
  let found: { version: VersionMetadata; metadata: ObjectMeta }[] = [];
  for await (const page of listAll<KubeObject>(client, configResources[address.kind], {
    namespace: address.namespace,
    labelSelector: `${labels.versionOf}=${rollout.metadata.uid}`,
    projection: 'metadata',
    ...reading(signal),
  })) {
    if (page.type === 'restart') found = [];
    else
      for (const object of page.items) {
        const version = versionMetadataOf(address, rollout, object);
        if (version !== undefined) found.push({ version, metadata: object.metadata });
      }
  }
  return found.sort((a, b) => a.version.sequence - b.version.sequence);
}

/** Returns undefined for an object that claims this rollout but names another config; see guard-versions. */
export function versionMetadataOf({ kind, name }: ConfigAddress, { metadata }: Owner, object: KubeObject) {
  const { metadata: own } = object;
  const version = versionMetadata({
    kind,
    namespace: own.namespace ?? '',
    name: own.name ?? '',
    uid: own.uid ?? '',
    labels: own.labels ?? {},
    annotations: own.annotations ?? {},
    ownerReferences: own.ownerReferences ?? [],
  });
  return version?.config === name && version.rolloutUid === metadata.uid ? version : undefined;
}

function reading(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}
