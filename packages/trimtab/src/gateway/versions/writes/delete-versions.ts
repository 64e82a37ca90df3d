import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { ApiError, isNotFound } from '@trimtab/kube/transport/errors.ts';
import { reservedVersionName } from '../../../api/names.ts';
import { currentHead } from '../../../core/activation/current-version.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import type { VersionHead } from '../../../core/version/version-head.ts';
import { conflict } from '../../answer/status-error.ts';
import type { DeleteWish } from '../../request/delete-options.ts';
import { type ConfigAddress, plurals } from '../addressing/config-address.ts';
import { baselineName, noConfig, noVersion } from '../reads/find-version.ts';
import { listVersions, readLive, readRollout } from '../reads/read-config.ts';
import { keepReason } from '../reads/standing.ts';

export interface Deletion {
  deleted: { version: string; object: string }[];
  kept: { version: string; reason: string; message: string }[];
}

/** The one version that an unmanaged config has is what it holds. */
const unmanagedReason = {
  reason: 'Current',
  message: 'it is what the config holds, and current: nobody manages this config',
};

/** Deletes one version as the caller; answers its head. */
export async function deleteVersion(
  client: KubeClient,
  address: ConfigAddress,
  version: string,
  wish: DeleteWish,
): Promise<VersionHead> {
  const rollout = await readRollout(client, address);
  if (rollout === undefined) {
    if ((await readLive(client, address)) === undefined) throw noConfig(address);
    if (version !== baselineName && version !== reservedVersionName) throw noVersion(address, version);
    throw refused(address, version, unmanagedReason.message);
  }
  const versions = await listVersions(client, address, rollout);
  const head =
    version === reservedVersionName
      ? currentHead(versions, rollout.status)
      : versions.find(({ name }) => name === version);
  if (head === undefined) throw noVersion(address, version);
  const keep = keepReason(rollout, versions, head, await liveHash(client, address));
  if (keep !== undefined) throw refused(address, head.name, keep.message);
  await deleteObject(client, address, head, wish);
  return head;
}

/** Deletes all versions that nothing depends on, and tells of each what became of it. */
export async function deleteAllVersions(
  client: KubeClient,
  address: ConfigAddress,
  wish: Pick<DeleteWish, 'dryRun'>,
): Promise<Deletion> {
  const rollout = await readRollout(client, address);
  if (rollout === undefined) {
    if ((await readLive(client, address)) === undefined) throw noConfig(address);
    return { deleted: [], kept: [{ version: baselineName, ...unmanagedReason }] };
  }
  const versions = await listVersions(client, address, rollout);
  const live = await liveHash(client, address);
  const left = new Set(versions);
  const result: Deletion = { deleted: [], kept: [] };
  for (const head of versions) {
    const { name: version, object } = head;
    const keep = keepReason(rollout, [...left], head, live) ?? (await failureOf(client, address, head, wish));
    if (keep === undefined) {
      left.delete(head);
      result.deleted.push({ version, object });
    } else if ('error' in keep && result.deleted.length === 0) throw keep.error;
    else result.kept.push({ version, reason: keep.reason, message: keep.message });
  }
  return result;
}

async function liveHash(client: KubeClient, address: ConfigAddress): Promise<string | undefined> {
  const live = await readLive(client, address);
  return live === undefined ? undefined : contentHash(live);
}

/** Once something is deleted, a failure is a part of the answer: the caller has to know both. */
async function failureOf(
  client: KubeClient,
  address: ConfigAddress,
  head: VersionHead,
  { dryRun }: Pick<DeleteWish, 'dryRun'>,
): Promise<{ reason: string; message: string; error?: unknown } | undefined> {
  try {
    await deleteObject(client, address, head, { dryRun, preconditions: {} });
    return undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    const { reason, message } =
      error instanceof ApiError
        ? { reason: error.reason, message: error.body.message ?? 'the API server refused' }
        : { reason: 'Unknown', message: 'the API server did not answer: look whether it is there' };
    return { reason, message, error };
  }
}

async function deleteObject(
  client: KubeClient,
  { kind, namespace }: ConfigAddress,
  { object, uid }: VersionHead,
  { dryRun, preconditions }: DeleteWish,
): Promise<void> {
  await client.delete(
    configResources[kind],
    { namespace, name: object },
    { preconditions: { uid, ...preconditions }, ...(dryRun && { dryRun }) },
  );
}

function refused({ kind, name }: ConfigAddress, version: string, why: string) {
  const about = { kind: plurals[kind], name };
  return conflict(
    `version ${JSON.stringify(version)} of ${plurals[kind]} ${JSON.stringify(name)} cannot be deleted: ${why}`,
    about,
  );
}
