import type { ConfigBody } from '../../../api/config-body.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import { typeProblem } from '../../../core/version/version-plan.ts';
import { readVersion } from '../../../versions/read-config.ts';
import { invalid } from '../../../versions/refusal.ts';
import { addFirstVersion } from '../../../versions/writes/add-first-version.ts';
import { addVersion } from '../../../versions/writes/add-version.ts';
import { nameUsed } from '../../../versions/writes/name-used.ts';
import type { WriteContext } from '../../../versions/writes/write-context.ts';
import type { NamedEdit } from './named-write.ts';
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
  const first = await addFirstVersion(context, address, live, version);
  // Versions of an earlier ConfigRollout may remain; then this one is added to them.
  if ((await readVersion(context.client, address, first.rollout, version)) === undefined)
    await addVersion(context, address, edited, version, false);
  return written;
}

/** Returns the object that the API server makes of the edit: with its merges, defaults and admission. */
function sendEdit(
  { client }: WriteContext,
  { request, body }: NamedEdit,
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
