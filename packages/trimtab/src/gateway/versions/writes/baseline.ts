import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { annotations } from '../../../api/names.ts';
import { contentHash } from '../../../core/version/content-hash.ts';
import { emptyLedger, formatLedger, type Ledger, markMade, reserve } from '../../../core/version/ledger.ts';
import { versionNameProblem } from '../../../core/version/version-name.ts';
import { parseRelease } from '../../../core/workload/opt-in.ts';
import { conflict } from '../../answer/status-error.ts';
import { type ConfigAddress, plurals } from '../addressing/config-address.ts';
import { readRollout } from '../reads/read-config.ts';
import { createRollout, newRollout, withUid } from './new-rollout.ts';
import { readLedger } from './read-ledger.ts';
import { confirmName, type NameRequest, reserveUnless } from './reserve-name.ts';
import { createVersionObject, userVersionObject } from './version-objects.ts';
import type { WriteContext } from './write-context.ts';

/**
 * The content of a config from before its first added version is the baseline: version 1.0.0, or the name in its
 * annotation. Without a baseline, the added version would be the first one and so become current.
 */
function needsBaseline({ sequence, last }: Ledger): boolean {
  return sequence === 0 || (sequence === 1 && last !== undefined && !last.made);
}

/** The rollout as it will be once the baseline exists; for plans and dry runs only. */
export async function withBaseline(
  context: WriteContext,
  address: ConfigAddress,
  live: ConfigBody,
  known: ConfigRollout | undefined,
): Promise<ConfigRollout> {
  const rollout = known ?? withUid(freshRollout(address, live));
  const ledger = await readLedger(context, address, rollout);
  if (!needsBaseline(ledger)) return rollout;
  const { chosen, contentHash: hash } = requestOf(live);
  const reserved = reserve(ledger, { contentHash: hash, ...(chosen !== undefined && { chosen }) });
  return {
    ...rollout,
    metadata: {
      ...rollout.metadata,
      annotations: {
        ...rollout.metadata.annotations,
        [annotations.ledger]: formatLedger(markMade(reserved.ledger)),
      },
    },
  };
}

export function freshRollout(address: ConfigAddress, live: ConfigBody): ConfigRollout {
  const release = parseRelease(live.metadata.annotations);
  return newRollout(address, 'value' in release ? release.value : undefined, emptyLedger);
}

/** Creates a missing rollout and baseline, or completes interrupted ones. The controller may do so concurrently. */
export async function ensureBaseline(
  context: WriteContext,
  address: ConfigAddress,
  live: ConfigBody,
  known: ConfigRollout | undefined,
): Promise<ConfigRollout> {
  const rollout = known ?? (await createOrReadRollout(context, address, live));
  const isThere = (ledger: Ledger) => !needsBaseline(ledger);
  const reserved = await reserveUnless(context, address, rollout, requestOf(live), isThere);
  if (!('reservation' in reserved)) return reserved.rollout;
  await createVersionObject(
    context,
    address,
    userVersionObject(context, reserved.rollout, live, reserved.reservation),
  );
  await confirmName(context, reserved);
  return (await readRollout(context.client, address)) ?? reserved.rollout;
}

async function createOrReadRollout(
  context: WriteContext,
  address: ConfigAddress,
  live: ConfigBody,
): Promise<ConfigRollout> {
  try {
    return await createRollout(context, freshRollout(address, live));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const theirs = await readRollout(context.client, address);
  if (theirs !== undefined) return theirs;
  const about = { kind: plurals[address.kind], name: address.name };
  throw conflict(
    'the ConfigRollout of this config was created and deleted concurrently; retry the request',
    about,
  );
}

function requestOf(live: ConfigBody): NameRequest {
  const wished = live.metadata.annotations?.[annotations.version];
  const isUsable = wished !== undefined && versionNameProblem(wished) === undefined;
  return { contentHash: contentHash(live), chosen: isUsable ? wished : undefined };
}
