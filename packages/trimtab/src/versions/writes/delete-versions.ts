import type { DeleteOptions, KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { reservedVersionName } from '../../api/names.ts';
import type { KeepReasonName } from '../../api/reasons/response-reasons.ts';
import { findCurrentVersion } from '../../core/activation/current-version.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { unmanagedVersionName } from '../../core/version/unmanaged-version.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { type KeepReason, keepReason } from '../../core/version/version-state.ts';
import { deleteVersionObject, recordDeletion } from '../delete-version.ts';
import { noConfig, noVersion } from '../not-found.ts';
import { listConfigVersions, listVersions, readLive, readRollout } from '../read-config.ts';
import { conflict } from '../refusal.ts';
import type { VersionWriter } from '../version-writer.ts';

export interface DeleteRequest {
  dryRun: boolean;
  preconditions: { uid?: string; resourceVersion?: string };
}

export interface Deletion {
  deleted: { version: string; object: string }[];
  kept: { version: string; reason: string; message: string }[];
}

/** Of an unmanaged config, the content is the current version. */
export const unmanagedReason = {
  reason: 'Current',
  message: 'the config is not managed, and its content is its only version',
};

/** Versions that the ConfigRollout of a config left behind when it was deleted. */
const leftReason = {
  reason: 'Unmanaged' satisfies KeepReasonName,
  message:
    'the config is no longer managed, and ReplicaSets or ControllerRevisions still use the version: Kubernetes deletes it with the last of them; to delete it before, purge it',
};

export const noResponse = {
  reason: 'Unknown' satisfies KeepReasonName,
  message: 'the API server did not respond: check whether the version still exists',
};

/** Deletes one version with the caller's rights and returns its metadata. */
export async function deleteVersion(
  writer: VersionWriter,
  address: ConfigAddress,
  versionName: string,
  request: DeleteRequest,
): Promise<VersionMetadata> {
  const { client } = writer;
  const rollout = await readRollout(client, address);
  if (rollout === undefined) {
    const left = await listConfigVersions(client, address);
    if (left.some(({ version }) => version.name === versionName))
      throw refused(address, versionName, leftReason.message);
    const live = await readLive(client, address);
    if (live === undefined) throw noConfig(address);
    if (versionName !== unmanagedVersionName(live) && versionName !== reservedVersionName)
      throw noVersion(address, versionName);
    throw refused(address, versionName, unmanagedReason.message);
  }
  const versions = await listVersions(client, address, rollout);
  const version =
    versionName === reservedVersionName
      ? findCurrentVersion(versions, rollout.status)
      : versions.find(({ name }) => name === versionName);
  if (version === undefined) throw noVersion(address, versionName);
  const live = await liveHash(client, address);
  const before = keepReason(rollout, versions, version, live);
  if (before !== undefined) throw refused(address, version.name, before.message);
  await recordGoing(writer, address, rollout, [version], request);
  const { keep, isDeleted } = await deleteUnwanted(writer, address, { versions, live }, version, request);
  if (keep !== undefined) throw refused(address, version.name, keep.message);
  if (!isDeleted) throw noVersion(address, versionName);
  return version;
}

/** Deletes all versions that nothing depends on, and reports the result for each. */
export async function deleteAllVersions(
  writer: VersionWriter,
  address: ConfigAddress,
  request: Pick<DeleteRequest, 'dryRun'>,
): Promise<Deletion> {
  const { client } = writer;
  const rollout = await readRollout(client, address);
  if (rollout === undefined) {
    const left = await listConfigVersions(client, address);
    if (left.length > 0)
      return { deleted: [], kept: left.map(({ version }) => ({ version: version.name, ...leftReason })) };
    const live = await readLive(client, address);
    if (live === undefined) throw noConfig(address);
    return { deleted: [], kept: [{ version: unmanagedVersionName(live), ...unmanagedReason }] };
  }
  const versions = await listVersions(client, address, rollout);
  const live = await liveHash(client, address);
  const left = new Set(versions);
  const result: Deletion = { deleted: [], kept: [] };
  await recordGoing(writer, address, rollout, deletable(rollout, versions, live), request);
  for (const version of versions) {
    const { name, object } = version;
    const keep =
      keepReason(rollout, [...left], version, live) ??
      (await reasonAgainst(writer, address, { versions: [...left], live }, version, request));
    if (keep === undefined) {
      left.delete(version);
      result.deleted.push({ version: name, object });
    } else if ('error' in keep && result.deleted.length === 0) throw keep.error;
    else result.kept.push({ version: name, reason: keep.reason, message: keep.message });
  }
  return result;
}

/** The versions that `deleteAllVersions` will delete, so that one write records all of them. */
function deletable(
  rollout: ConfigRollout,
  versions: readonly VersionMetadata[],
  live: string | undefined,
): VersionMetadata[] {
  const left = new Set(versions);
  for (const version of versions)
    if (keepReason(rollout, [...left], version, live) === undefined) left.delete(version);
  return versions.filter((version) => !left.has(version));
}

/** No version is deleted before the ledger remembers its name. */
export async function recordGoing(
  writer: VersionWriter,
  address: ConfigAddress,
  rollout: ConfigRollout,
  going: readonly VersionMetadata[],
  { dryRun }: Pick<DeleteRequest, 'dryRun'>,
): Promise<void> {
  if (dryRun || going.length === 0) return;
  const recorded = await recordDeletion(writer, address, rollout, going);
  if (recorded === undefined)
    throw conflict(
      `the ConfigRollout of ${configResources[address.kind].plural} ${JSON.stringify(address.name)} was changed concurrently; no version was deleted, retry the request`,
      { kind: configResources[address.kind].plural, name: address.name },
    );
}

interface Facts {
  versions: readonly VersionMetadata[];
  /** The content hash of the config. */
  live: string | undefined;
}

/**
 * Deletes a version unless it is requested by now. The ConfigRollout is read after the deletion was recorded, and again
 * before each further attempt. The record of a version that is kept stays: it refuses no activation, and the version can
 * be deleted later.
 */
async function deleteUnwanted(
  writer: VersionWriter,
  address: ConfigAddress,
  { versions, live }: Facts,
  version: VersionMetadata,
  request: DeleteRequest,
): Promise<{ keep: KeepReason | undefined; isDeleted: boolean }> {
  let keep: KeepReason | undefined;
  const isStillUnwanted = async () => {
    const now = await readRollout(writer.client, address);
    if (now !== undefined) keep = keepReason(now, versions, version, live);
    return keep === undefined;
  };
  const isDeleted =
    (await isStillUnwanted()) &&
    (await deleteVersionObject(writer, version, deleting(request), isStillUnwanted));
  return { keep, isDeleted };
}

async function liveHash(client: KubeClient, address: ConfigAddress): Promise<string | undefined> {
  const live = await readLive(client, address);
  return live === undefined ? undefined : contentHash(live);
}

/**
 * Deletes one version of several. Returns why it stays, or a failure: after the first deletion this is part of the
 * response, because the caller needs to know both.
 */
async function reasonAgainst(
  writer: VersionWriter,
  address: ConfigAddress,
  facts: Facts,
  version: VersionMetadata,
  { dryRun }: Pick<DeleteRequest, 'dryRun'>,
): Promise<{ reason: string; message: string; error?: unknown } | undefined> {
  try {
    const request = { dryRun, preconditions: {} };
    return (await deleteUnwanted(writer, address, facts, version, request)).keep;
  } catch (error) {
    const { reason, message } =
      error instanceof ApiError
        ? { reason: error.reason, message: error.body.message ?? 'the API server refused the deletion' }
        : noResponse;
    return { reason, message, error };
  }
}

function deleting({ dryRun, preconditions }: DeleteRequest): DeleteOptions {
  return { preconditions, ...(dryRun && { dryRun }) };
}

export function refused({ kind, name }: ConfigAddress, versionName: string, why: string) {
  const about = { kind: configResources[kind].plural, name };
  return conflict(
    `version ${JSON.stringify(versionName)} of ${configResources[kind].plural} ${JSON.stringify(name)} cannot be deleted: ${why}`,
    about,
  );
}
