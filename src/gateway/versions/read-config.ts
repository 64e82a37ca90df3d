import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import type { KubeObject } from '../../api/wire.ts';
import { rolloutName, versionObjectName } from '../../core/object-names.ts';
import { type VersionHead, versionHead } from '../../core/version-head.ts';
import type { KubeClient } from '../../kube/client.ts';
import { listAll } from '../../kube/paging.ts';
import { configResources, configRollouts } from '../../kube/resource.ts';
import { isNotFound } from '../../kube/transport/errors.ts';
import type { ConfigAddress } from './config-address.ts';

/** Every read here is made as the caller: what they may not see, they get a 403 for, from the cluster itself. */

/** Undefined for a config that is not managed, or does not exist. */
export function readRollout(
  client: KubeClient,
  { kind, namespace, name }: ConfigAddress,
  signal: AbortSignal,
): Promise<ConfigRollout | undefined> {
  const where = { namespace, name: rolloutName(kind, name) };
  return orUndefined(client.get<ConfigRollout>(configRollouts, where, { signal }));
}

export function readLive(
  client: KubeClient,
  { kind, namespace, name }: ConfigAddress,
  signal: AbortSignal,
): Promise<ConfigBody | undefined> {
  return orUndefined(client.get<ConfigBody>(configResources[kind], { namespace, name }, { signal }));
}

/** One version with its content; its object's name follows from its own. */
export async function readVersion(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
  version: string,
  signal: AbortSignal,
): Promise<{ head: VersionHead; body: ConfigBody } | undefined> {
  const { kind, namespace, name } = address;
  const where = { namespace, name: versionObjectName(name, rollout.metadata.uid ?? '', version) };
  const body = await orUndefined(client.get<ConfigBody>(configResources[kind], where, { signal }));
  const head = body && headOf(address, rollout, body);
  return head && { head, body };
}

/** All versions without their content, in the order in which they were made. */
export async function listVersions(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
  signal: AbortSignal,
): Promise<VersionHead[]> {
  let heads: VersionHead[] = [];
  for await (const page of listAll<KubeObject>(client, configResources[address.kind], {
    namespace: address.namespace,
    labelSelector: `${labels.versionOf}=${rollout.metadata.uid}`,
    projection: 'metadata',
    signal,
  })) {
    if (page.type === 'restart') heads = [];
    else heads.push(...page.items.flatMap((each) => headOf(address, rollout, each) ?? []));
  }
  return heads.sort((a, b) => a.sequence - b.sequence);
}

/** What says it is a version of this rollout and names another config is not one: see guard-versions. */
function headOf({ kind, name }: ConfigAddress, { metadata }: ConfigRollout, object: KubeObject) {
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

async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
