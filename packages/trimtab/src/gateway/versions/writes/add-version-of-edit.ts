import { configResources } from '@trimtab/kube/resource.ts';
import { isConflict } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import type { ConfigAddress } from '../../../core/references/config-address.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import { validChosenName } from '../../../core/version/unmanaged-version.ts';
import { typeProblem } from '../../../core/version/version-plan.ts';
import { parseRelease, type ReleaseMode } from '../../../core/workload/opt-in.ts';
import { rolloutFor } from '../../../versions/first-version.ts';
import { createRollout } from '../../../versions/new-rollout.ts';
import { listConfigVersions, readVersion } from '../../../versions/read-config.ts';
import { alreadyExists, badRequest, invalid, type Refusal } from '../../../versions/refusal.ts';
import { activateCreated, outlookOf } from '../../../versions/writes/activate-created.ts';
import { addFirstVersion } from '../../../versions/writes/add-first-version.ts';
import { addVersion } from '../../../versions/writes/add-version.ts';
import { metadataOf, planFirst } from '../../../versions/writes/create-config.ts';
import { withUid } from '../../../versions/writes/dry-run-rollout.ts';
import { nameUsed } from '../../../versions/writes/name-used.ts';
import { refuseBeingDeleted } from '../../../versions/writes/refuse-being-deleted.ts';
import { dryRunVersionObject, userVersionObject } from '../../../versions/writes/version-objects.ts';
import type { WriteContext } from '../../../versions/writes/write-context.ts';
import { addLockedVersion } from './add-locked-version.ts';
import type { NamedEdit, NamedWrite } from './named-write.ts';
import {
  isKeptForKubectl,
  maxAttempts,
  ofState,
  sendEdit,
  sentResourceVersion,
  type WrittenConfig,
  withoutVersionName,
  writeEdit,
} from './send-edit.ts';
import { hasContentOf } from './version-content.ts';

/**
 * Adds the version that an edit of a managed, unlocked config names, before the edit itself: the version reserves the
 * name, and the release mode decides what the edit activates. An interrupted call leaves a version that is not current,
 * and its repetition goes on. Adds nothing when the version exists with the same content. A patch is only written to the
 * state that its dry run has read, because with another user's edit it would make other content than that of the version.
 * Returns undefined when the edit remains to be proxied.
 */
export async function addVersionOfEdit(
  context: WriteContext,
  edit: NamedEdit & { rollout: ConfigRollout },
  dryRun: boolean,
): Promise<WrittenConfig | undefined> {
  for (let attempt = 1; ; attempt++) {
    const { object: edited } = await sendEdit(context, edit, { dryRun: 'All' });
    await addVersionWith(context, edit, edited, { dryRun, isRepeated: attempt > 1 });
    if (dryRun) return undefined;
    if (sentResourceVersion(edit) !== undefined) return writeEdit(context, edit);
    if (edit.form === 'object') return undefined;
    if (isKeptForKubectl(edit)) return applyUnconditionally(context, edit, edited);
    try {
      return await sendEdit(context, ofState(edit, edited.metadata.resourceVersion));
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error;
    }
  }
}

async function addVersionWith(
  context: WriteContext,
  { address, rollout, version }: NamedEdit & { rollout: ConfigRollout },
  edited: ConfigBody,
  { dryRun, isRepeated }: { dryRun: boolean; isRepeated: boolean },
): Promise<void> {
  const existing = await readVersion(context.client, address, rollout, version);
  if (existing === undefined) await addVersion(context, address, edited, version, dryRun);
  else if (!hasContentOf(existing.body, edited))
    throw isRepeated
      ? changedMeanwhile(address, version)
      : await nameUsed(context.client, address, rollout, version);
}

/**
 * Applies without a resourceVersion. If another user's edit was in between, the config loses the name again, which it
 * could not keep with other content than that of the version.
 */
async function applyUnconditionally(
  context: WriteContext,
  edit: NamedEdit,
  edited: ConfigBody,
): Promise<WrittenConfig> {
  const written = await sendEdit(context, edit);
  if (hasContentOf(written.object, edited)) return written;
  await sendEdit(context, withoutVersionName(edit));
  throw changedMeanwhile(edit.address, edit.version);
}

/** Clients repeat a request after a Conflict. With the same version name, the repetition could not succeed. */
function changedMeanwhile({ kind, name }: ConfigAddress, version: string): Refusal {
  const about = { kind: configResources[kind].plural, name };
  return alreadyExists(
    `${about.kind} ${JSON.stringify(name)} was changed by another request after version ${JSON.stringify(version)} was added, so its content does not become this version: repeat the request with another version name`,
    about,
  );
}

/**
 * Makes an unmanaged config managed by an edit that names a version, in the release mode of the edited config. The
 * content before becomes the first version, which is current, so that only the release mode activates the edit. Then the
 * edit is written, and its version added last. Until the edit is written, an interruption leaves the config as it was
 * with its first version; after that, the controller adds the version, whose name the config has. The repetition goes on
 * in both cases.
 */
export async function manageByEdit(
  context: WriteContext,
  edit: NamedEdit,
  dryRun: boolean,
): Promise<WrittenConfig | 'answered' | undefined> {
  const { address, live, version } = edit;
  const { object: edited } = await sendEdit(context, edit, { dryRun: 'All' });
  const release = releaseOf(edited);
  if (contentHash(edited) === contentHash(live)) return nameContent(context, edit, dryRun);
  if (release === 'Locked') return addLockedVersion(context, edit, release);
  await addVersion(context, address, edited, version, true, release);
  if (dryRun) return undefined;
  await addFirstVersion(context, address, live, validChosenName(live), release);
  const written = await writeEdit(context, edit);
  await addVersionOfLive(context, address, written.object, version);
  return written;
}

/**
 * The content of an unmanaged config gets its name, and no second version. The edit comes first: the controller, which
 * may be faster, takes the name from the config.
 */
async function nameContent(
  context: WriteContext,
  edit: NamedEdit,
  dryRun: boolean,
): Promise<WrittenConfig | undefined> {
  const { address, live, version } = edit;
  const refused = typeProblem(live.type);
  if (refused !== undefined)
    throw invalid({ kind: address.kind, name: address.name }, [{ field: 'type', problem: refused.message }]);
  if (dryRun) return undefined;
  const written = await sendEdit(context, edit);
  await addVersionOfLive(context, address, written.object, version);
  return written;
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
): Promise<WrittenConfig> {
  const { address, version } = write;
  refuseBeingDeleted(address, rollout);
  const { object: body, warnings } = await sendEdit(context, write, { dryRun: 'All' });
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
    const outlook = outlookOf(
      address,
      expected,
      versions,
      metadataOf(address, expected, object),
      'will be requested',
    );
    return { object: body, warnings: [...warnings, ...outlook.notices] };
  }
  const written = await sendEdit(context, write);
  const owner = await addVersionOfLive(context, address, written.object, version);
  const created = await readVersion(context.client, address, owner, version);
  if (created === undefined) return written;
  const { notices } = await activateCreated(context, address, { rollout: owner, versions }, created.version);
  return { ...written, warnings: [...written.warnings, ...notices] };
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

/** The release mode that an edit gives to an unmanaged config. */
function releaseOf({ metadata }: ConfigBody): ReleaseMode {
  const release = parseRelease(metadata.annotations);
  if ('problem' in release) throw badRequest(release.problem);
  return release.value ?? 'Auto';
}
