import { configResources } from '@trimtab/kube/resource.ts';
import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { annotations, labels } from '../../../api/names.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import { emptyLedger, reserve } from '../../../core/version/ledger.ts';
import { configLabelValue } from '../../../core/version/object-names.ts';
import { parseRelease } from '../../../core/workload/opt-in.ts';
import { alreadyExists, badRequest, StatusError } from '../../answer/status-error.ts';
import { type ConfigAddress, plurals } from '../addressing/config-address.ts';
import { readLive, readRollout } from '../reads/read-config.ts';
import { createRollout, newRollout, withUid } from './new-rollout.ts';
import { confirmName, planName, type Reserved, reserveName } from './reserve-name.ts';
import { createVersionObject, dryRunVersionObject, userVersionObject } from './version-objects.ts';
import { type WriteContext, writeOptions } from './write-context.ts';

export interface CreatedVersion {
  rollout: ConfigRollout;
  /** The object of the version; for a dry run, the object that would be created. */
  object: ConfigBody;
}

/**
 * Creates a config with its first version: the rollout, the version, and the config itself last, because its existence
 * means that the creation succeeded. After an interruption, the same call completes the creation.
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
  const [known, there] = await Promise.all([readRollout(client, address), readLive(client, address)]);
  if (there !== undefined) throw exists(address);
  const live = liveConfig(address, body, version);
  const request = { contentHash: contentHash(body), chosen: version };
  const plan =
    known === undefined ? reserve(emptyLedger, request) : await planName(context, address, known, request);
  const wanted = newRollout(address, releaseOf(body), plan.ledger);
  const dryRunResult = known ?? withUid(wanted);
  const object = userVersionObject(context, dryRunResult, body, plan);
  await create(context, address, live, true);
  if (known === undefined) await createRollout(context, wanted, true).catch(unlessExists);
  await dryRunVersionObject(context, address, object);
  if (dryRun) return { rollout: dryRunResult, object };

  const reserved =
    known === undefined ? await createOrJoinRollout(context, address, wanted, request, plan) : undefined;
  const { rollout, reservation } =
    reserved ?? (await reserveName(context, address, known ?? wanted, request));
  const made = await createVersionObject(
    context,
    address,
    userVersionObject(context, rollout, body, reservation),
  );
  await createLive(context, address, live, made);
  await confirmName(context, { rollout, reservation });
  return { rollout, object: made };
}

/** If a concurrent call has created the rollout, the name is reserved in that rollout. */
async function createOrJoinRollout(
  context: WriteContext,
  address: ConfigAddress,
  wanted: ConfigRollout,
  request: { contentHash: string; chosen: string },
  reservation: Reserved['reservation'],
): Promise<Reserved> {
  try {
    return { rollout: await createRollout(context, wanted), reservation };
  } catch (error) {
    unlessExists(error);
    const theirs = await readRollout(context.client, address);
    if (theirs === undefined) throw error;
    return reserveName(context, address, theirs, request);
  }
}

/** The config as sent, with the label and the annotation that connect it with its versions. */
function liveConfig({ namespace, name }: ConfigAddress, body: ConfigBody, version: string): ConfigBody {
  const { labels: ownLabels, annotations: ownAnnotations, ...metadata } = body.metadata;
  return {
    ...body,
    metadata: {
      ...metadata,
      name,
      namespace,
      labels: { ...ownLabels, [labels.config]: configLabelValue(name) },
      annotations: { ...ownAnnotations, [annotations.version]: version },
    },
  };
}

/** A config that is created with a version is locked by default. */
function releaseOf(body: ConfigBody) {
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
  live: ConfigBody,
  made: ConfigBody,
): Promise<void> {
  const { client } = context;
  const { kind, namespace } = address;
  const { name = '', uid = '' } = made.metadata;
  try {
    await create(context, address, live, false);
  } catch (error) {
    // Any other failure may have taken effect; the same call then completes the creation.
    if (!(error instanceof StatusError)) throw error;
    const theirs = await readLive(client, address);
    const version = theirs?.metadata.annotations?.[annotations.version];
    if (theirs !== undefined && version !== live.metadata.annotations?.[annotations.version])
      await client
        .delete(configResources[kind], { namespace, name }, { preconditions: { uid } })
        .catch(() => undefined);
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
    await context.client.create(configResources[address.kind], live, writeOptions(context, dryRun));
  } catch (error) {
    throw isAlreadyExists(error) ? exists(address) : error;
  }
}

function exists({ kind, namespace, name }: ConfigAddress): StatusError {
  const plural = plurals[kind];
  return alreadyExists(
    `${plural} ${JSON.stringify(name)} already exists: add a version with POST /api/v1/namespaces/${namespace}/${plural}/${name}/{version}`,
    { kind: plural, name },
  );
}

function unlessExists(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
