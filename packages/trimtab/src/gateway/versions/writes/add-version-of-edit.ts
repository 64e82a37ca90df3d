import type { ConfigBody } from '../../../api/config-body.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import { ensureFirstVersion } from '../../../versions/first-version.ts';
import { readVersion } from '../../../versions/read-config.ts';
import { addVersion } from '../../../versions/writes/add-version.ts';
import { nameUsed } from '../../../versions/writes/name-used.ts';
import type { WriteContext } from '../../../versions/writes/write-context.ts';
import type { NamedEdit } from './named-write.ts';
import { hasContentOf } from './version-content.ts';

/**
 * Adds the version that an edit of an unlocked config names, before the edit itself is proxied: the version reserves the
 * name, and the release mode decides what the edit activates. An interrupted call leaves a version that is not current,
 * and its repetition goes on. Does nothing when the version exists with the same content.
 */
export async function addVersionOfEdit(
  context: WriteContext,
  write: NamedEdit,
  dryRun: boolean,
): Promise<void> {
  const { address, rollout, live, version } = write;
  const edited = await dryRunEdit(context, write);
  const existing = rollout && (await readVersion(context.client, address, rollout, version));
  if (rollout !== undefined && existing !== undefined) {
    if (hasContentOf(existing.body, edited)) return;
    throw await nameUsed(context.client, address, rollout, version);
  }
  if (rollout !== undefined || contentHash(edited) !== contentHash(live)) {
    await addVersion(context, address, edited, version, dryRun);
    return;
  }
  // The content of an unmanaged config gets its name, and no second version.
  if (!dryRun)
    await ensureFirstVersion(context, address, live, {
      createdBy: context.by,
      madeByHand: true,
      state: 'not-current',
      chosenName: version,
    });
}

/** The object that the API server makes of the edit: with its merges, defaults and admission. */
function dryRunEdit({ client }: WriteContext, { request, body }: NamedEdit): Promise<ConfigBody> {
  const { incoming, query } = request;
  const [path = ''] = (incoming.url ?? '').split('?');
  return client.raw<ConfigBody>({
    method: incoming.method === 'PUT' ? 'PUT' : 'PATCH',
    path,
    query: { ...Object.fromEntries(query), dryRun: 'All' },
    body,
    contentType: incoming.headers['content-type'] ?? 'application/json',
  });
}
