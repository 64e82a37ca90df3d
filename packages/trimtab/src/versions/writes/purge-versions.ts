import type { Patch } from '@trimtab/kube/client.ts';
import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { ApiError, isConflict } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { annotations, reservedVersionName } from '../../api/names.ts';
import type { StatusReason } from '../../api/reasons/response-reasons.ts';
import { findCurrentVersion } from '../../core/activation/current-version.ts';
import { abbreviate } from '../../core/messages/abbreviate.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { keysOfSharedValues } from '../../core/version/config-values.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { holdersOfValues } from '../../core/version/holders-of-values.ts';
import { lastApplied } from '../../core/version/last-applied.ts';
import { purgeRefusal } from '../../core/version/purge-refusal.ts';
import { unmanagedVersionName } from '../../core/version/unmanaged-version.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { type UsersOf, versionUserIndex } from '../../core/version/version-users.ts';
import { deleteVersionObject } from '../delete-version.ts';
import { noConfig, noVersion } from '../not-found.ts';
import {
  type FoundVersion,
  listConfigVersions,
  listVersionBodies,
  readLive,
  readRollout,
  versionsOf,
} from '../read-config.ts';
import { readUsingObjects } from '../reads/read-using-objects.ts';
import { Refusal } from '../refusal.ts';
import { MissingRight, requireRight } from '../require-right.ts';
import { type VersionWriter, writing } from '../version-writer.ts';
import {
  type DeleteRequest,
  type Deletion,
  noResponse,
  recordGoing,
  refused,
  unmanagedReason,
} from './delete-versions.ts';

// A purge deletes versions that old ReplicaSets and ControllerRevisions still name, also after the config is no longer
// managed. Each of its writes may be the last one: the mark lets only this user delete the version, the record in the ledger holds until the version is gone, and
// the same request does the rest.

export interface PurgeWriter extends VersionWriter {
  /** The user name that the API server reports for the client. */
  username(): Promise<string>;
  /** Waits until this purge may use the CPU for some milliseconds. By default, it does not wait. */
  turn?(): Promise<void>;
  /** Ends the reads before the first write. From then on, the purge is completed. */
  until?: AbortSignal;
  /** Names of versions that the same user purges next: a warning that they hold the same values is not needed. */
  next?: readonly string[];
}

export interface Purge extends Deletion {
  /** What the purge breaks, and where the values remain. */
  warnings: string[];
}

/** Purges one version with the caller's rights. */
export async function purgeVersion(
  writer: PurgeWriter,
  address: ConfigAddress,
  versionName: string,
  request: DeleteRequest,
): Promise<{ version: VersionMetadata; isManaged: boolean; warnings: string[] }> {
  const { rollout, found, live } = await readVersions(writer, address);
  const versions = found.map(({ version }) => version);
  const isCurrent = versionName === reservedVersionName;
  const name = isCurrent && rollout ? findCurrentVersion(versions, rollout.status)?.name : versionName;
  const chosen = found.filter(({ version }) => version.name === name);
  const [first] = chosen;
  if (first === undefined)
    throw rollout === undefined &&
      live !== undefined &&
      (isCurrent || versionName === unmanagedVersionName(live))
      ? refused(address, versionName, unmanagedReason.message)
      : noVersion(address, versionName);
  const { kept, warnings } = await purge(writer, address, rollout, chosen, request);
  const [keep] = kept;
  if (keep !== undefined) throw keep.error ?? refused(address, keep.version, keep.message);
  return { version: first.version, isManaged: rollout !== undefined, warnings };
}

/** Purges all versions that nothing runs, and reports the result for each. */
export async function purgeAllVersions(
  writer: PurgeWriter,
  address: ConfigAddress,
  { dryRun }: Pick<DeleteRequest, 'dryRun'>,
): Promise<Purge> {
  const { rollout, found, live } = await readVersions(writer, address);
  if (rollout === undefined && found.length === 0 && live !== undefined)
    return {
      deleted: [],
      kept: [{ version: unmanagedVersionName(live), ...unmanagedReason }],
      warnings: [],
    };
  const { kept, ...purged } = await purge(writer, address, rollout, found, { dryRun, preconditions: {} });
  const [failure] = kept.flatMap(({ error }) => error ?? []);
  if (failure !== undefined && purged.deleted.length === 0) throw failure;
  return { ...purged, kept: kept.map(({ error: _, ...each }) => each) };
}

/**
 * Reads the versions of a config. When the config is no longer managed, these are the versions that its deleted
 * ConfigRollout left to ReplicaSets and ControllerRevisions.
 */
async function readVersions(
  { client, until }: PurgeWriter,
  address: ConfigAddress,
): Promise<{ rollout: ConfigRollout | undefined; found: FoundVersion[]; live: ConfigBody | undefined }> {
  const rollout = await readRollout(client, address, until);
  const listed = await listConfigVersions(client, address, until);
  if (rollout !== undefined) return { rollout, found: versionsOf(rollout, listed), live: undefined };
  const live = await readLive(client, address, until);
  if (live === undefined && listed.length === 0) throw noConfig(address);
  return { rollout, found: listed, live };
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
  rollout: ConfigRollout | undefined,
  chosen: readonly FoundVersion[],
  request: DeleteRequest,
): Promise<{ deleted: Deletion['deleted']; kept: Kept[]; warnings: string[] }> {
  const { client, until } = writer;
  // What uses the versions is expensive to read, and useless for a caller who may not delete them.
  await requireRights(writer, address, rollout, chosen);
  const { going, kept, ...facts } = await decide(writer, address, rollout, chosen, until);
  if (going.length === 0) return { deleted: [], kept, warnings: [] };
  const bodies = await listVersionBodies(client, address, until);
  const marked = await markAndRecord(writer, address, rollout, going, request);
  const completing = { ...writer, turn: () => turnOf(writer).catch(nextRound) };
  const gone = new Map<string, Facts>();
  if (request.dryRun) for (const { version } of going) gone.set(version.object, facts);
  else {
    const left: FoundVersion[] = [];
    for (const each of going) {
      const done = await deleteUnused(completing, address, rollout, each, marked.get(each));
      if ('message' in done) {
        left.push(each);
        kept.push({ version: each.version.name, ...done });
      } else gone.set(each.version.object, done);
    }
    await unmark(writer, left);
  }
  const deleted = going.filter(({ version }) => gone.has(version.object));
  return {
    deleted: deleted.map(({ version: { name, object } }) => ({ version: name, object })),
    kept,
    warnings: await allWarnings(completing, address, bodies, gone),
  };
}

async function turnOf({ turn }: PurgeWriter): Promise<void> {
  await turn?.();
}

/** A purge that has begun is completed, also when its client has left or has too many requests that wait. */
function nextRound(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Reads what uses a version once more, and deletes the version. Since the mark, the controller may have changed the
 * version: an activation labels it as in use and removes the mark before a workload names the version. The
 * resourceVersion then differs, and the deletion fails. An object that begins to use the version without an activation
 * between this read and the deletion, as by `kubectl rollout undo`, is not seen: its pods do not start.
 */
async function deleteUnused(
  writer: PurgeWriter,
  address: ConfigAddress,
  before: ConfigRollout | undefined,
  each: FoundVersion,
  resourceVersion = '',
): Promise<Facts | Omit<Kept, 'version'>> {
  try {
    let decision = await decide(writer, address, before, [each]);
    const isStillUnused = async () => {
      decision = await decide(writer, address, before, [each]);
      return decision.kept.length === 0;
    };
    if (decision.kept.length === 0)
      await deleteVersionObject(writer, each.version, { preconditions: { resourceVersion } }, isStillUnused);
    const { kept, live, usersOf } = decision;
    return kept[0] ?? { live, usersOf };
  } catch (error) {
    if (isConflict(error)) return changed;
    if (error instanceof ApiError || error instanceof Refusal) {
      const { reason = 'Unknown', message = 'the API server refused the deletion' } = error.body;
      return { reason, message, error };
    }
    return { ...noResponse, error };
  }
}

const changed = {
  reason: 'Conflict' satisfies StatusReason,
  message: 'the version was changed concurrently, as when it is activated; repeat the purge',
};

/** What the decision about a version was based on. */
interface Facts {
  live: ConfigBody | undefined;
  usersOf: UsersOf;
}

interface Decision extends Facts {
  going: FoundVersion[];
  kept: Kept[];
}

/** Reads what uses the versions, and decides which of them go. `before` is the ConfigRollout that they belong to. */
async function decide(
  writer: PurgeWriter,
  address: ConfigAddress,
  before: ConfigRollout | undefined,
  chosen: readonly FoundVersion[],
  until?: AbortSignal,
): Promise<Decision> {
  const { client } = writer;
  const { hidden, ...objects } = await readUsingObjects(client, address.namespace, until);
  const [missing] = hidden;
  if (missing !== undefined) {
    const [resource = '', ...group] = missing.split('.');
    throw new MissingRight({ verb: 'list', resource, group: group.join('.') }, address.namespace);
  }
  const usersOf = await inTurns(writer, versionUserIndex(objects));
  const live = await readLive(client, address, until);
  const listed = await listConfigVersions(client, address, until);
  // Read last, so that an activation that began during the other reads is seen.
  const rollout = await readRollout(client, address, until);
  await turnOf(writer);
  const isSame = rollout?.metadata.uid === before?.metadata.uid;
  const its = rollout === undefined ? [] : versionsOf(rollout, listed);
  const left = new Set(its.map(({ version }) => version));
  const liveHash = live === undefined ? undefined : contentHash(live);
  const decision: Decision = { going: [], kept: [], live, usersOf };
  for (const each of chosen) {
    const { version } = each;
    const facts = { rollout, versions: [...left], liveHash, usersOf };
    const keep = isSame ? purgeRefusal(facts, version, address) : changed;
    if (keep === undefined) {
      decision.going.push(each);
      for (const other of left) if (other.object === version.object) left.delete(other);
    } else decision.kept.push({ version: version.name, ...keep });
  }
  return decision;
}

/** Computes step by step, and waits for a turn before each of them. */
async function inTurns<T>(writer: PurgeWriter, steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    await turnOf(writer);
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Without the right to delete, a purge must not leave marks behind. */
async function requireRights(
  { client }: PurgeWriter,
  { kind, namespace }: ConfigAddress,
  rollout: ConfigRollout | undefined,
  chosen: readonly FoundVersion[],
): Promise<void> {
  const [first] = chosen;
  if (first === undefined) return;
  const deleting = { verb: 'delete', group: '', resource: configResources[kind].plural };
  const { group, plural: resource } = configRollouts;
  const recording = { verb: 'patch', group, resource };
  await requireRight(client, { ...deleting, name: first.version.object }, namespace);
  if (rollout !== undefined)
    await requireRight(client, { ...recording, name: rollout.metadata.name ?? '' }, namespace);
}

/** Returns the resourceVersions of the marked versions. When it fails, no mark stays. */
async function markAndRecord(
  writer: PurgeWriter,
  address: ConfigAddress,
  rollout: ConfigRollout | undefined,
  going: readonly FoundVersion[],
  request: DeleteRequest,
): Promise<Map<FoundVersion, string>> {
  const marked = new Map<FoundVersion, string>();
  const begun: FoundVersion[] = [];
  try {
    for (const each of going) {
      begun.push(each);
      marked.set(each, await mark(writer, each.version, request));
    }
    const versions = going.map(({ version }) => version);
    if (rollout !== undefined) await recordGoing(writer, address, rollout, versions, request);
  } catch (error) {
    if (!request.dryRun) await unmark(writer, begun);
    throw error;
  }
  return marked;
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

/** Removes the marks of this user. Best effort: a mark that stays lets the same user delete a version in use. */
async function unmark(writer: PurgeWriter, kept: readonly FoundVersion[]): Promise<void> {
  const path = jsonPointer('metadata', 'annotations', annotations.purge);
  for (const { version } of kept) {
    const { kind, namespace, object, uid } = version;
    try {
      const operations: (Patch & { type: 'json' })['operations'] = [
        { op: 'test', path: '/metadata/uid', value: uid },
        { op: 'test', path, value: await writer.username() },
        { op: 'remove', path },
      ];
      const patch = { type: 'json' as const, operations };
      await writer.client.patch(configResources[kind], { namespace, name: object }, patch, writing(writer));
    } catch {
      // The error that ends the purge, or the reason that keeps the version, is what the caller needs to know.
    }
  }
}

interface VersionContent {
  version: VersionMetadata;
  body: ConfigBody;
}

/** The warnings about the deleted versions: `gone` has what was known about each of them, by its object. */
async function allWarnings(
  writer: PurgeWriter,
  address: ConfigAddress,
  listed: readonly VersionContent[],
  gone: ReadonlyMap<string, Facts>,
): Promise<string[]> {
  const { kind } = address;
  const contents = listed.map(({ version, body }) => ({ version, body: { ...body, kind } }));
  const { next = [] } = writer;
  const deleted = contents.filter(({ version }) => gone.has(version.object));
  const left = contents.filter(({ version }) => !gone.has(version.object) && !next.includes(version.name));
  const holders = await inTurns(writer, holdersOfValues(deleted, left));
  const warnings: string[] = [];
  for (const each of deleted) {
    const facts = gone.get(each.version.object);
    if (facts === undefined) continue;
    await turnOf(writer);
    warnings.push(...warningsOf(each, facts, address));
    const others = holders.get(each.version.object) ?? [];
    if (others.length > 0)
      warnings.push(
        `other versions of ${kind} ${address.name} still have values of version ${each.version.name}: ${abbreviate(others.map(({ version, keys }) => `${version} in ${quotedKeys(keys)}`)).join('; ')}. If one of them leaked, purge these versions, too`,
      );
  }
  return warnings;
}

function warningsOf(
  { version, body: held }: VersionContent,
  { live, usersOf }: Facts,
  { kind, name }: ConfigAddress,
): string[] {
  const { revisions } = usersOf(version);
  const keys = live === undefined ? [] : keysOfSharedValues({ ...live, kind }, held);
  const applied = live === undefined ? [] : lastApplied({ ...live, kind });
  const left = applied.flatMap((each) => keysOfSharedValues(each, held)).filter((key) => !keys.includes(key));
  return [
    ...(revisions.length > 0
      ? [
          `version ${version.name} was named by ${abbreviate(revisions).join(', ')}: kubectl rollout undo to one of them starts no pods`,
        ]
      : []),
    ...(keys.length > 0
      ? [
          `${kind} ${name} itself still has values of version ${version.name}, in ${quotedKeys(keys)}: if one of them leaked, edit the config`,
        ]
      : []),
    ...(left.length > 0
      ? [
          `the annotation kubectl.kubernetes.io/last-applied-configuration of ${kind} ${name} still has values of version ${version.name}, in ${quotedKeys(left)}: if one of them leaked, apply the config again or remove the annotation`,
        ]
      : []),
  ];
}

function quotedKeys(keys: readonly string[]): string {
  return abbreviate(keys.map((key) => JSON.stringify(key))).join(', ');
}
