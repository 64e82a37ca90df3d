import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import type { ConfigAddress } from '../../../core/references/config-address.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import { typeProblem } from '../../../core/version/version-plan.ts';
import { rolloutFor } from '../../../versions/first-version.ts';
import { createRollout } from '../../../versions/new-rollout.ts';
import { listConfigVersions, readVersion } from '../../../versions/read-config.ts';
import { invalid } from '../../../versions/refusal.ts';
import { activateCreated, outlookOf } from '../../../versions/writes/activate-created.ts';
import { addFirstVersion } from '../../../versions/writes/add-first-version.ts';
import { addVersion } from '../../../versions/writes/add-version.ts';
import { metadataOf, planFirst } from '../../../versions/writes/create-config.ts';
import { withUid } from '../../../versions/writes/dry-run-rollout.ts';
import { nameUsed } from '../../../versions/writes/name-used.ts';
import { refuseBeingDeleted } from '../../../versions/writes/refuse-being-deleted.ts';
import { dryRunVersionObject, userVersionObject } from '../../../versions/writes/version-objects.ts';
import type { WriteContext } from '../../../versions/writes/write-context.ts';
import type { NamedEdit, NamedWrite } from './named-write.ts';
import { hasContentOf } from './version-content.ts';

/**
 * Adds the version that an edit of an unlocked config names, before the edit itself is proxied: the version reserves the
 * name, and the release mode decides what the edit activates. An interrupted call leaves a version that is not current,
 * and its repetition goes on. Does nothing when the version exists with the same content. Returns the edited config when
 * the edit is written already.
 */
export async function addVersionOfEdit(
  context: WriteContext,
  write: NamedEdit,
  dryRun: boolean,
): Promise<ConfigBody | undefined> {
  const { address, rollout, live, version } = write;
  const edited = await sendEdit(context, write, { dryRun: 'All' });
  const existing = rollout && (await readVersion(context.client, address, rollout, version));
  if (rollout !== undefined && existing !== undefined) {
    if (hasContentOf(existing.body, edited)) return undefined;
    throw await nameUsed(context.client, address, rollout, version);
  }
  if (rollout !== undefined || contentHash(edited) !== contentHash(live)) {
    await addVersion(context, address, edited, version, dryRun);
    return undefined;
  }
  // The content of an unmanaged config gets its name, and no second version. The edit comes first: the controller, which
  // may be faster, takes the name from the config.
  const refused = typeProblem(live.type);
  if (refused !== undefined)
    throw invalid({ kind: address.kind, name: address.name }, [{ field: 'type', problem: refused.message }]);
  if (dryRun) return undefined;
  const written = await sendEdit(context, write);
  await addVersionOfLive(context, address, written, version);
  return written;
}

/** A config that was created by server-side apply, or would be. */
export interface AppliedConfig {
  config: ConfigBody;
  /** What happens to its version, when versions of an earlier config of its name remain. */
  notices: string[];
}

/**
 * Creates an unlocked config by server-side apply, which gives its fields to the caller's field manager, and then its
 * version, as a POST does. The same call after an interruption is an edit, which completes it.
 */
export async function createUnlockedByApply(
  context: WriteContext,
  write: NamedWrite,
  rollout: ConfigRollout | undefined,
  dryRun: boolean,
): Promise<AppliedConfig> {
  const { address, version } = write;
  refuseBeingDeleted(address, rollout);
  const body = await sendEdit(context, write, { dryRun: 'All' });
  // Versions of a deleted config may remain.
  const existing = await listConfigVersions(context.client, address);
  const wanted = rolloutFor(address, body, existing);
  const expected = rollout ?? withUid(wanted);
  const planned = await planFirst(context, address, expected, existing, { body, version });
  if (rollout === undefined) await createRollout(context, wanted, { dryRun: true });
  const object = userVersionObject(context, expected, body, planned);
  await dryRunVersionObject(context, address, object);
  const versions = existing.map((found) => found.version);
  if (dryRun) {
    const expectedVersion = metadataOf(address, expected, object);
    return { config: body, ...outlookOf(address, expected, versions, expectedVersion, 'will be requested') };
  }
  const config = await sendEdit(context, write);
  const owner = await addVersionOfLive(context, address, config, version);
  const created = await readVersion(context.client, address, owner, version);
  if (created === undefined) return { config, notices: [] };
  return {
    config,
    ...(await activateCreated(context, address, { rollout: owner, versions }, created.version)),
  };
}

/** Versions of an earlier ConfigRollout may remain; then this one is added to them, here or by the controller. */
async function addVersionOfLive(
  context: WriteContext,
  address: ConfigAddress,
  live: ConfigBody,
  version: string,
): Promise<ConfigRollout> {
  const { rollout } = await addFirstVersion(context, address, live, version);
  const exists = async () => {
    const found = await readVersion(context.client, address, rollout, version);
    return found !== undefined && hasContentOf(found.body, live);
  };
  if (await exists()) return rollout;
  try {
    await addVersion(context, address, live, version, false);
  } catch (error) {
    if (!(await exists())) throw error;
  }
  return rollout;
}

/** Returns the object that the API server makes of the edit: with its merges, defaults and admission. */
function sendEdit(
  { client }: WriteContext,
  { request, body }: Pick<NamedWrite, 'request' | 'body'>,
  more: Record<string, string> = {},
): Promise<ConfigBody> {
  const { incoming, query } = request;
  const [path = ''] = (incoming.url ?? '').split('?');
  return client.raw<ConfigBody>({
    method: incoming.method === 'PUT' ? 'PUT' : 'PATCH',
    path,
    query: { ...Object.fromEntries(query), ...more },
    body,
    contentType: incoming.headers['content-type'] ?? 'application/json',
  });
}
