import { configResources } from '@trimtab/kube/resource.ts';
import { ApiError, isConflict, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { annotations, reservedVersionName } from '../../api/names.ts';
import { findCurrentVersion } from '../../core/activation/current-version.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { keysOfSharedValues } from '../../core/version/config-values.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { lastApplied } from '../../core/version/last-applied.ts';
import { purgeRefusal } from '../../core/version/purge-refusal.ts';
import { unmanagedVersionName } from '../../core/version/unmanaged-version.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { type VersionUsers, versionUsers } from '../../core/version/version-users.ts';
import { deleteVersionObject } from '../delete-version.ts';
import { noConfig, noVersion } from '../not-found.ts';
import { listVersionBodies, readLive, readRollout, versionsOf } from '../read-config.ts';
import { readUsingObjects } from '../reads/read-using-objects.ts';
import { MissingRight, requireRight } from '../require-right.ts';
import { type VersionWriter, writing } from '../version-writer.ts';
import {
  type DeleteRequest,
  type Deletion,
  recordGoing,
  refused,
  unmanagedReason,
} from './delete-versions.ts';

// A purge deletes versions that old ReplicaSets and ControllerRevisions still name. Each of its writes may be the last
// one: the mark lets only this user delete the version, the record in the ledger holds until the version is gone, and
// the same request does the rest.

export interface PurgeWriter extends VersionWriter {
  /** The user name that the API server reports for the client. */
  username(): Promise<string>;
}

export interface Purge extends Deletion {
  /** What the purge breaks, and where the values remain. */
  warnings: string[];
}

interface Found {
  version: VersionMetadata;
  body: ConfigBody;
}

/** Purges one version with the caller's rights. */
export async function purgeVersion(
  writer: PurgeWriter,
  address: ConfigAddress,
  versionName: string,
  request: DeleteRequest,
): Promise<{ version: VersionMetadata; warnings: string[] }> {
  const { client } = writer;
  const rollout = await readRollout(client, address);
  if (rollout === undefined) {
    const live = await readLive(client, address);
    if (live === undefined) throw noConfig(address);
    throw versionName === unmanagedVersionName(live) || versionName === reservedVersionName
      ? refused(address, versionName, unmanagedReason.message)
      : noVersion(address, versionName);
  }
  const found = versionsOf(rollout, await listVersionBodies(client, address));
  const versions = found.map(({ version }) => version);
  const name =
    versionName === reservedVersionName ? findCurrentVersion(versions, rollout.status)?.name : versionName;
  const chosen = found.find(({ version }) => version.name === name);
  if (chosen === undefined) throw noVersion(address, versionName);
  const { kept, warnings } = await purge(writer, address, rollout, [chosen], request);
  const [keep] = kept;
  if (keep !== undefined) throw keep.error ?? refused(address, keep.version, keep.message);
  return { version: chosen.version, warnings };
}

/** Purges all versions that nothing runs, and reports the result for each. */
export async function purgeAllVersions(
  writer: PurgeWriter,
  address: ConfigAddress,
  { dryRun }: Pick<DeleteRequest, 'dryRun'>,
): Promise<Purge> {
  const { client } = writer;
  const rollout = await readRollout(client, address);
  if (rollout === undefined) {
    const live = await readLive(client, address);
    if (live === undefined) throw noConfig(address);
    return { deleted: [], kept: [{ version: unmanagedVersionName(live), ...unmanagedReason }], warnings: [] };
  }
  const found = versionsOf(rollout, await listVersionBodies(client, address));
  const { kept, ...purged } = await purge(writer, address, rollout, found, { dryRun, preconditions: {} });
  const [failure] = kept.flatMap(({ error }) => error ?? []);
  if (failure !== undefined && purged.deleted.length === 0) throw failure;
  return { ...purged, kept: kept.map(({ error: _, ...each }) => each) };
}

interface Kept {
  version: string;
  reason: string;
  message: string;
  error?: unknown;
}

async function purge(
  writer: PurgeWriter,
  address: ConfigAddress,
  rollout: ConfigRollout,
  chosen: readonly Found[],
  request: DeleteRequest,
): Promise<{ deleted: Deletion['deleted']; kept: Kept[]; warnings: string[] }> {
  const first = await decide(writer, address, rollout, chosen);
  await requireRights(writer, address, rollout, first.going);
  const marked = new Map<Found, string>();
  for (const each of first.going) marked.set(each, await mark(writer, each.version, request));
  const versions = first.going.map(({ version }) => version);
  await recordGoing(writer, address, rollout, versions, request);
  // Read again: since the mark, whatever begins to use a version changes it, or is seen here.
  const last = request.dryRun ? first : await decide(writer, address, undefined, first.going);
  const deleted: Found[] = [];
  const kept = [...first.kept, ...(last === first ? [] : last.kept)];
  for (const each of last.going) {
    const failure = request.dryRun ? undefined : await failureOf(writer, each.version, marked.get(each));
    if (failure === undefined) deleted.push(each);
    else kept.push({ version: each.version.name, ...failure });
  }
  if (!request.dryRun)
    await unmark(
      writer,
      first.going.filter((each) => !deleted.includes(each)),
    );
  return {
    deleted: deleted.map(({ version }) => ({ version: version.name, object: version.object })),
    kept,
    warnings: deleted.flatMap((each) => warningsOf(each, last, address)),
  };
}

interface Decision {
  going: Found[];
  kept: Kept[];
  live: ConfigBody | undefined;
  usersOf(version: VersionMetadata): VersionUsers;
}

/** Reads what uses the versions, and decides which of them go. Without `known`, the ConfigRollout is read, too. */
async function decide(
  { client }: PurgeWriter,
  address: ConfigAddress,
  known: ConfigRollout | undefined,
  chosen: readonly Found[],
): Promise<Decision> {
  const rollout = known ?? (await readRollout(client, address));
  if (rollout === undefined) throw noConfig(address);
  const { hidden, ...objects } = await readUsingObjects(client, address.namespace);
  const [missing] = hidden;
  if (missing !== undefined) {
    const [resource = '', ...group] = missing.split('.');
    throw new MissingRight({ verb: 'list', resource, group: group.join('.') }, address.namespace);
  }
  const live = await readLive(client, address);
  const listed = versionsOf(rollout, await listVersionBodies(client, address));
  const left = new Set(listed.map(({ version }) => version));
  const isMoving = rollout.status?.target !== undefined;
  const usersOf = (version: VersionMetadata) => versionUsers(version, objects, isMoving);
  const liveHash = live === undefined ? undefined : contentHash(live);
  const decision: Decision = { going: [], kept: [], live, usersOf };
  for (const each of chosen) {
    const { version } = each;
    const keep = purgeRefusal({ rollout, versions: [...left], liveHash, usersOf }, version, address);
    if (keep === undefined) {
      decision.going.push(each);
      for (const other of left) if (other.object === version.object) left.delete(other);
    } else decision.kept.push({ version: version.name, ...keep });
  }
  return decision;
}

/** Without the right to delete, a purge must not leave marks behind. */
async function requireRights(
  { client }: PurgeWriter,
  { kind, namespace }: ConfigAddress,
  { metadata }: ConfigRollout,
  going: readonly Found[],
): Promise<void> {
  const [first] = going;
  if (first === undefined) return;
  const deleting = { verb: 'delete', group: '', resource: configResources[kind].plural };
  const { group, plural: resource } = configRollouts;
  const recording = { verb: 'patch', group, resource };
  await requireRight(client, { ...deleting, name: first.version.object }, namespace);
  await requireRight(client, { ...recording, name: metadata.name ?? '' }, namespace);
}

/** Marks a version for this user; see guard-versions. Returns the resourceVersion of the marked object. */
async function mark(
  writer: PurgeWriter,
  { kind, namespace, object, uid }: VersionMetadata,
  { dryRun, preconditions }: DeleteRequest,
): Promise<string> {
  const own = { [annotations.purge]: await writer.username() };
  const { resourceVersion } = preconditions;
  const metadata = {
    uid: preconditions.uid ?? uid,
    ...(resourceVersion !== undefined && { resourceVersion }),
    annotations: own,
  };
  const marked = await writer.client.patch(
    configResources[kind],
    { namespace, name: object },
    { type: 'merge', body: { metadata } },
    { ...writing(writer), ...(dryRun && { dryRun }) },
  );
  return marked.metadata.resourceVersion ?? '';
}

/** Best effort: a mark that stays helps only the same user. */
async function unmark(writer: PurgeWriter, kept: readonly Found[]): Promise<void> {
  for (const { version } of kept) {
    const { kind, namespace, object, uid } = version;
    const body = { metadata: { uid, annotations: { [annotations.purge]: null } } };
    await writer.client
      .patch(configResources[kind], { namespace, name: object }, { type: 'merge', body }, writing(writer))
      .catch(() => undefined);
  }
}

async function failureOf(
  writer: PurgeWriter,
  version: VersionMetadata,
  resourceVersion = '',
): Promise<Omit<Kept, 'version'> | undefined> {
  try {
    await deleteVersionObject(writer, version, { preconditions: { resourceVersion } });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || isNotFound(error)) throw error;
    const message = isConflict(error)
      ? 'the version was changed concurrently, as when it is activated; repeat the purge'
      : (error.body.message ?? 'the API server refused the deletion');
    return { reason: error.reason, message, ...(!isConflict(error) && { error }) };
  }
}

function warningsOf(
  { version, body }: Found,
  { live, usersOf }: Decision,
  { kind, name }: ConfigAddress,
): string[] {
  const { revisions } = usersOf(version);
  const held = { ...body, kind };
  const keys = live === undefined ? [] : keysOfSharedValues({ ...live, kind }, held);
  const applied = live === undefined ? [] : lastApplied({ ...live, kind });
  const left = applied.flatMap((each) => keysOfSharedValues(each, held)).filter((key) => !keys.includes(key));
  return [
    ...(revisions.length > 0
      ? [
          `version ${version.name} was named by ${revisions.join(', ')}: kubectl rollout undo to one of them starts no pods`,
        ]
      : []),
    ...(keys.length > 0
      ? [
          `${kind} ${name} itself still has values of version ${version.name}, in ${quoted(keys)}: if one of them leaked, edit the config`,
        ]
      : []),
    ...(left.length > 0
      ? [
          `the annotation kubectl.kubernetes.io/last-applied-configuration of ${kind} ${name} still has values of version ${version.name}, in ${quoted(left)}: if one of them leaked, apply the config again or remove the annotation`,
        ]
      : []),
  ];
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => JSON.stringify(key)).join(', ');
}
