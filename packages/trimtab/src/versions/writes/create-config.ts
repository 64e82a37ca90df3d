import { configResources } from '@trimtab/kube/resource.ts';
import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { configLabelValue } from '../../core/version/object-names.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { PlannedVersion } from '../../core/version/version-plan.ts';
import { parseRelease, type ReleaseMode } from '../../core/workload/opt-in.ts';
import type { Creation } from '../create-version.ts';
import { deleteVersionObject, recordDeletion } from '../delete-version.ts';
import { withLedger } from '../first-version.ts';
import { createRollout, newRollout } from '../new-rollout.ts';
import {
  type FoundVersion,
  listConfigVersions,
  readLive,
  readRollout,
  versionOfRollout,
  versionsOf,
} from '../read-config.ts';
import { alreadyExists, badRequest, conflict, Refusal } from '../refusal.ts';
import { writing } from '../version-writer.ts';
import { activateCreated, type Outlook, outlookOf } from './activate-created.ts';
import { withUid } from './dry-run-rollout.ts';
import { nameUsed } from './name-used.ts';
import { planName } from './plan-name.ts';
import { refuseBeingDeleted } from './refuse-being-deleted.ts';
import { createVersionObject, dryRunVersionObject, userVersionObject } from './version-objects.ts';
import type { WriteContext } from './write-context.ts';

export interface CreatedVersion extends Outlook {
  rollout: ConfigRollout;
  /** The object of the version; for a dry run, the object that would be created. */
  object: ConfigBody;
}

/**
 * Creates a config with its first version: the rollout, the version, and the config itself last, because its existence
 * means that the creation succeeded. While the config does not exist, the same call completes what an interrupted one
 * has begun.
 */
export async function createConfig(
  context: WriteContext,
  address: ConfigAddress,
  sent: ConfigBody,
  version: string,
  dryRun: boolean,
): Promise<CreatedVersion> {
  const { client } = context;
  // The API server's default. Without it, the first version and the config would have different content hashes.
  const body: ConfigBody = address.kind === 'Secret' ? { ...sent, type: sent.type ?? 'Opaque' } : sent;
  const [known, there, existing] = await Promise.all([
    readRollout(client, address),
    readLive(client, address),
    listConfigVersions(client, address),
  ]);
  if (there !== undefined) throw exists(address);
  refuseBeingDeleted(address, known);
  const release = releaseOf(body);
  const live = liveConfig(address, body, version, release);
  const versions = existing.map((found) => found.version);
  const wanted = newRollout(address, { release, existing: versions });
  const expected = known ?? withUid(wanted);
  const object = userVersionObject(
    context,
    expected,
    body,
    await planFirst(context, address, expected, existing, { body, version }),
  );
  await create(context, address, live, true);
  if (known === undefined) await createRollout(context, wanted, { dryRun: true });
  await dryRunVersionObject(context, address, object);
  if (dryRun)
    return {
      rollout: expected,
      object,
      ...outlookOf(address, expected, versions, metadataOf(address, expected, object), 'will be requested'),
    };

  const rollout = await joinRollout(context, address, known, wanted, existing);
  const plan = await planFirst(context, address, rollout, existing, { body, version });
  const creation = await createVersionObject(
    context,
    address,
    rollout,
    userVersionObject(context, rollout, body, plan),
  );
  if (!('object' in creation)) throw await nameUsed(client, address, rollout, version);
  await createLive(context, address, rollout, live, creation);
  const created = metadataOf(address, rollout, creation.object);
  return {
    rollout,
    object: creation.object,
    ...(await activateCreated(context, address, { rollout, versions }, created)),
  };
}

/** The metadata of a version that was written, or would be. */
export function metadataOf(
  address: ConfigAddress,
  rollout: ConfigRollout,
  object: ConfigBody,
): VersionMetadata {
  const version = versionOfRollout(address, rollout, object);
  if (version === undefined)
    throw new Error('the API server returned a version with changed labels or annotations');
  return version;
}

/**
 * Plans the first version of a config that does not exist. The version of an interrupted call with the same name and
 * content is used again. Throws a 409 for a name that was used in another way.
 */
export async function planFirst(
  context: WriteContext,
  address: ConfigAddress,
  rollout: ConfigRollout,
  existing: readonly FoundVersion[],
  { body, version }: { body: ConfigBody; version: string },
): Promise<PlannedVersion> {
  const begun = versionsOf(rollout, existing).find((found) => found.version.name === version)?.version;
  if (begun !== undefined && begun.contentHash === contentHash(body)) return begun;
  const versions = existing.map((found) => found.version);
  return planName(context, address, rollout, versions, version);
}

/** Creates the rollout, or returns the one that exists or that a concurrent call has created. */
async function joinRollout(
  context: WriteContext,
  address: ConfigAddress,
  known: ConfigRollout | undefined,
  wanted: ConfigRollout,
  existing: readonly FoundVersion[],
): Promise<ConfigRollout> {
  const rollout =
    known ?? (await createRollout(context, wanted)) ?? (await readRollout(context.client, address));
  const ready = rollout && (await withLedger(context, rollout, existing));
  if (ready !== undefined) return ready;
  throw conflict('the ConfigRollout of this config was changed concurrently; retry the request', {
    kind: configResources[address.kind].plural,
    name: address.name,
  });
}

/**
 * The config as sent, with the label and the annotation that connect it with its versions. A Locked config is created
 * without `immutable`: its versions are immutable, a policy denies edits of it, and it follows the current version.
 */
function liveConfig(
  { namespace, name }: ConfigAddress,
  body: ConfigBody,
  version: string,
  release: ReleaseMode,
): ConfigBody {
  const { labels: ownLabels, annotations: ownAnnotations, ...metadata } = body.metadata;
  const { immutable, ...content } = body;
  return {
    ...content,
    ...(release !== 'Locked' && immutable !== undefined && { immutable }),
    metadata: {
      ...metadata,
      name,
      namespace,
      labels: {
        ...ownLabels,
        [labels.config]: configLabelValue(name),
        ...(release === 'Locked' && { [labels.locked]: 'true' }),
      },
      annotations: { ...ownAnnotations, [annotations.version]: version },
    },
  };
}

/** A config that is created with a version is locked by default. */
function releaseOf(body: ConfigBody): ReleaseMode {
  const release = parseRelease(body.metadata.annotations);
  if ('problem' in release) throw badRequest(release.problem);
  return release.value ?? 'Locked';
}

/**
 * Creates the config. If a concurrent call has created it with another version, this call's version is deleted: it
 * would otherwise belong to that config, perhaps as its first version.
 */
async function createLive(
  context: WriteContext,
  address: ConfigAddress,
  rollout: ConfigRollout,
  live: ConfigBody,
  { result, object }: Extract<Creation, { object: ConfigBody }>,
): Promise<void> {
  const { client } = context;
  try {
    await create(context, address, live, false);
  } catch (error) {
    // Any other failure may have taken effect; the same call then completes the creation.
    if (!(error instanceof Refusal) || result !== 'created') throw error;
    const theirs = await readLive(client, address);
    const version = theirs?.metadata.annotations?.[annotations.version];
    const own = versionOfRollout(address, rollout, object);
    if (theirs !== undefined && own !== undefined && version !== own.name) {
      await recordDeletion(context, address, rollout, [own])
        .then((recorded) => recorded && deleteVersionObject(context, own))
        .catch(() => undefined);
    }
    throw error;
  }
}

async function create(
  context: WriteContext,
  address: ConfigAddress,
  live: ConfigBody,
  dryRun: boolean,
): Promise<void> {
  try {
    const options = { ...writing(context), ...(dryRun && { dryRun }) };
    await context.client.create(configResources[address.kind], live, options);
  } catch (error) {
    throw isAlreadyExists(error) ? exists(address) : error;
  }
}

function exists({ kind, name }: ConfigAddress): Refusal {
  const { plural } = configResources[kind];
  const message = `${plural} ${JSON.stringify(name)} already exists`;
  return alreadyExists(message, { kind: plural, name }, 'add-version');
}
