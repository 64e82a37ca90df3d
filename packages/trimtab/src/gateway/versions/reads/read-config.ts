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
import { type VersionHead, versionHead } from '../../../core/version/version-head.ts';
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
  version: string,
  signal?: AbortSignal,
): Promise<{ head: VersionHead; body: ConfigBody } | undefined> {
  const { kind, namespace, name } = address;
  const where = { namespace, name: versionObjectName(name, rollout.metadata.uid ?? '', version) };
  const body = await orUndefined(client.get<ConfigBody>(configResources[kind], where, reading(signal)));
  const head = body && headOf(address, rollout, body);
  return head && { head, body };
}

/** A version without its content, by the name of its object; undefined for what is none of this rollout. */
export async function readHead(
  client: KubeClient,
  address: ConfigAddress,
  rollout: Owner,
  object: string,
  signal?: AbortSignal,
): Promise<VersionHead | undefined> {
  const where = { namespace: address.namespace, name: object };
  const options = { projection: 'metadata' as const, ...reading(signal) };
  const found = await orUndefined(client.get<KubeObject>(configResources[address.kind], where, options));
  return found && headOf(address, rollout, found);
}

/** All versions without their content, in the order in which they were made. */
export async function listVersions(
  client: KubeClient,
  address: ConfigAddress,
  rollout: Owner,
  signal?: AbortSignal,
): Promise<VersionHead[]> {
  return (await listVersionObjects(client, address, rollout, signal)).map(({ head }) => head);
}

/** The same with everything that Kubernetes says about their objects. */
export async function listVersionObjects(
  client: KubeClient,
  address: ConfigAddress,
  rollout: Owner,
  signal?: AbortSignal,
): Promise<{ head: VersionHead; metadata: ObjectMeta }[]> {
  let found: { head: VersionHead; metadata: ObjectMeta }[] = [];
  for await (const page of listAll<KubeObject>(client, configResources[address.kind], {
    namespace: address.namespace,
    labelSelector: `${labels.versionOf}=${rollout.metadata.uid}`,
    projection: 'metadata',
    ...reading(signal),
  })) {
    if (page.type === 'restart') found = [];
    else
      for (const object of page.items) {
        const head = headOf(address, rollout, object);
        if (head !== undefined) found.push({ head, metadata: object.metadata });
      }
  }
  return found.sort((a, b) => a.head.sequence - b.head.sequence);
}

/** What says it is a version of this rollout and names another config is not one: see guard-versions. */
export function headOf({ kind, name }: ConfigAddress, { metadata }: Owner, object: KubeObject) {
  const { metadata: own } = object;
  const head = versionHead({
    kind,
    namespace: own.namespace ?? '',
    name: own.name ?? '',
    uid: own.uid ?? '',
    labels: own.labels ?? {},
    annotations: own.annotations ?? {},
    ownerReferences: own.ownerReferences ?? [],
  });
  return head?.config === name && head.rolloutUid === metadata.uid ? head : undefined;
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
