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
import { planName, type Reserved, reserveName, settleName } from './reserve-name.ts';
import { copyByHand, createCopy, rehearseCopy } from './version-copy.ts';
import { type Writing, writeOptions } from './writing.ts';

export interface MadeVersion {
  rollout: ConfigRollout;
  /** The object of the version; what it would be, on a dry run. */
  copy: ConfigBody;
}

/**
 * A config is born with its first version: rollout, version, and the config itself last, whose existence is what
 * counts. Killed in between, the same call finishes it.
 */
export async function createConfig(
  writing: Writing,
  address: ConfigAddress,
  sent: ConfigBody,
  version: string,
  dryRun: boolean,
): Promise<MadeVersion> {
  const { client } = writing;
  // As the API server has it: without it, the first version would have another hash than the config itself.
  const body: ConfigBody = address.kind === 'Secret' ? { ...sent, type: sent.type ?? 'Opaque' } : sent;
  const [known, there] = await Promise.all([readRollout(client, address), readLive(client, address)]);
  if (there !== undefined) throw exists(address);
  const live = liveConfig(address, body, version);
  const wish = { contentHash: contentHash(body), chosen: version };
  const plan =
    known === undefined ? reserve(emptyLedger, wish) : await planName(writing, address, known, wish);
  const wanted = newRollout(address, releaseOf(body), plan.ledger);
  const rehearsed = known ?? withUid(wanted);
  const copy = copyByHand(writing, rehearsed, body, plan);
  await create(writing, address, live, true);
  if (known === undefined) await createRollout(writing, wanted, true).catch(unlessExists);
  await rehearseCopy(writing, address, copy);
  if (dryRun) return { rollout: rehearsed, copy };

  const reserved = known === undefined ? await born(writing, address, wanted, wish, plan) : undefined;
  const { rollout, reservation } = reserved ?? (await reserveName(writing, address, known ?? wanted, wish));
  const made = await createCopy(writing, address, copyByHand(writing, rollout, body, reservation));
  await createLive(writing, address, live, made);
  await settleName(writing, { rollout, reservation });
  return { rollout, copy: made };
}

/** Somebody else may be at it: then theirs is the rollout, and the name is reserved in it like any other. */
async function born(
  writing: Writing,
  address: ConfigAddress,
  wanted: ConfigRollout,
  wish: { contentHash: string; chosen: string },
  reservation: Reserved['reservation'],
): Promise<Reserved> {
  try {
    return { rollout: await createRollout(writing, wanted), reservation };
  } catch (error) {
    unlessExists(error);
    const theirs = await readRollout(writing.client, address);
    if (theirs === undefined) throw error;
    return reserveName(writing, address, theirs, wish);
  }
}

/** Everything the person wrote, and the two marks by which original and versions are one group. */
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

/** Locked, as the proposal says, unless the person asks for something else. */
function releaseOf(body: ConfigBody) {
  const release = parseRelease(body.metadata.annotations);
  if ('problem' in release) throw badRequest(release.problem);
  return release.value ?? 'Locked';
}

/** Without a config of its own, the version would be one of somebody else's, and perhaps the first. */
async function createLive(
  writing: Writing,
  address: ConfigAddress,
  live: ConfigBody,
  made: ConfigBody,
): Promise<void> {
  const { client } = writing;
  const { kind, namespace } = address;
  const { name = '', uid = '' } = made.metadata;
  try {
    await create(writing, address, live, false);
  } catch (error) {
    // Any other failure may have taken effect, and the same call finishes it.
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
  writing: Writing,
  address: ConfigAddress,
  live: ConfigBody,
  dryRun: boolean,
): Promise<void> {
  try {
    await writing.client.create(configResources[address.kind], live, writeOptions(writing, dryRun));
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
