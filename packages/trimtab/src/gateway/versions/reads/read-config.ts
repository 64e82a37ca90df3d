import type { KubeClient } from '@trimtab/kube/client.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject, ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { configRollouts } from '../../../api/config-rollout.ts';
import { labels } from '../../../api/names.ts';
import { rolloutName, versionObjectName } from '../../../core/version/object-names.ts';
import { type VersionMetadata, versionMetadata } from '../../../core/version/version-metadata.ts';
import type { ConfigAddress } from '../addressing/config-address.ts';

/** All of a rollout that its versions know. */
type Owner = Pick<ConfigRollout, 'metadata'>;

/** Every read here is made as the caller: what they may not see, they get a 403 for, from the cluster itself. */

/** Undefined for a config that is not managed, or does not exist. */
export function readRollout(
  client: KubeClient,
  { kind, namespace, name }: ConfigAddress,
  signal?: AbortSignal,
): Promise<ConfigRollout | undefined> {
  const where = { namespace, name: rolloutName(kind, name) };
  return orUndefined(client.get<ConfigRollout>(configRollouts, where, reading(signal)));
}

export function readLive(
  client: KubeClient,
  { kind, namespace, name }: ConfigAddress,
  signal?: AbortSignal,
): Promise<ConfigBody | undefined> {
  return orUndefined(client.get<ConfigBody>(configResources[kind], { namespace, name }, reading(signal)));
}

/** One version with its content; its object's name follows from its own. */
export async function readVersion(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
  versionName: string,
  signal?: AbortSignal,
): Promise<{ version: VersionMetadata; body: ConfigBody } | undefined> {
  const { kind, namespace, name } = address;
  const where = { namespace, name: versionObjectName(name, rollout.metadata.uid ?? '', versionName) };
  const body = await orUndefined(client.get<ConfigBody>(configResources[kind], where, reading(signal)));
  const version = body && versionMetadataOf(address, rollout, body);
  return version && { version, body };
}

/** A version without its content, by the name of its object; undefined for what is none of this rollout. */
export async function readVersionMetadata(
  client: KubeClient,
  address: ConfigAddress,
  rollout: Owner,
  object: string,
  signal?: AbortSignal,
): Promise<VersionMetadata | undefined> {
  const where = { namespace: address.namespace, name: object };
  const options = { projection: 'metadata' as const, ...reading(signal) };
  const found = await orUndefined(client.get<KubeObject>(configResources[address.kind], where, options));
  return found && versionMetadataOf(address, rollout, found);
}

/** All versions without their content, in the order in which they were made. */
export async function listVersions(
  client: KubeClient,
  address: ConfigAddress,
  rollout: Owner,
  signal?: AbortSignal,
): Promise<VersionMetadata[]> {
  return (await listVersionObjects(client, address, rollout, signal)).map(({ version }) => version);
}

/** The same with everything that Kubernetes says about their objects. */
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

/** What says it is a version of this rollout and names another config is not one: see guard-versions. */
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

async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
