import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { ApiError, isConflict } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { configRollouts } from '../../../api/config-rollout.ts';
import { annotations } from '../../../api/names.ts';
import {
  formatLedger,
  isNameUsed,
  isOpen,
  type Ledger,
  markMade,
  type Reservation,
  reserve,
} from '../../../core/version/ledger.ts';
import { conflict } from '../../answer/status-error.ts';
import { type ConfigAddress, plurals } from '../addressing/config-address.ts';
import { readRollout } from '../reads/read-config.ts';
import { nameUsed } from './name-used.ts';
import { readLedger } from './read-ledger.ts';
import { type WriteContext, writeOptions } from './write-context.ts';

export interface NameRequest {
  contentHash: string;
  /** Undefined for the next automatic name. */
  chosen: string | undefined;
}

export interface Reserved {
  rollout: ConfigRollout;
  reservation: Reservation;
}

/** Concurrent callers write the same annotation, and one of them succeeds in each round. */
const maxAttempts = 30;

/** The name that a version would get now. Throws a 409 for a name that was ever used. Writes nothing. */
export async function planName(
  context: WriteContext,
  address: ConfigAddress,
  rollout: ConfigRollout,
  { contentHash, chosen }: NameRequest,
): Promise<Reservation> {
  const ledger = await readLedger(context, address, rollout);
  const isPending = ledger.last?.name === chosen && isOpen(ledger, contentHash);
  if (chosen !== undefined && isNameUsed(ledger, chosen) && !isPending)
    throw await nameUsed(context.client, address, rollout, chosen);
  return reserve(ledger, { contentHash, ...(chosen !== undefined && { chosen }) });
}

/** Reserves the name in the ledger before the version exists. After an interruption, the same call gets it again. */
export async function reserveName(
  context: WriteContext,
  address: ConfigAddress,
  rollout: ConfigRollout,
  request: NameRequest,
): Promise<Reserved> {
  const reserved = await reserveUnless(context, address, rollout, request, () => false);
  if ('reservation' in reserved) return reserved;
  throw new Error('no name was reserved');
}

/** Like `reserveName`, but returns only the rollout once `isDone` finds that a concurrent call has done the work. */
export async function reserveUnless(
  context: WriteContext,
  address: ConfigAddress,
  rollout: ConfigRollout,
  request: NameRequest,
  isDone: (ledger: Ledger) => boolean,
): Promise<Reserved | { rollout: ConfigRollout }> {
  let seen = rollout;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (isDone(await readLedger(context, address, seen))) return { rollout: seen };
    const reservation = await planName(context, address, seen, request);
    const written = await writeLedger(context, seen, reservation.ledger);
    if (written !== undefined) return { rollout: written, reservation };
    const fresh = await readRollout(context.client, address);
    if (fresh === undefined || fresh.metadata.uid !== rollout.metadata.uid) break;
    seen = fresh;
  }
  throw conflict(
    `too many concurrent writes of versions of ${plurals[address.kind]} "${address.name}"; nothing was changed, retry the request`,
    { kind: plurals[address.kind], name: address.name },
  );
}

/** Records that the reserved version exists. Has no effect when another name has been reserved since. */
export async function confirmName(context: WriteContext, { rollout, reservation }: Reserved): Promise<void> {
  await writeLedger(context, rollout, markMade(reservation.ledger));
}

/** Returns undefined when the ledger has changed since it was read. */
async function writeLedger(
  context: WriteContext,
  rollout: ConfigRollout,
  ledger: Ledger,
): Promise<ConfigRollout | undefined> {
  const { namespace = '', name = '', resourceVersion } = rollout.metadata;
  const before = rollout.metadata.annotations?.[annotations.ledger];
  const value = formatLedger(ledger);
  if (before === value) return rollout;
  const path = jsonPointer('metadata', 'annotations', annotations.ledger);
  try {
    return await context.client.patch<ConfigRollout>(
      configRollouts,
      { namespace, name },
      before === undefined
        ? {
            type: 'merge',
            body: { metadata: { resourceVersion, annotations: { [annotations.ledger]: value } } },
          }
        : {
            type: 'json',
            operations: [
              { op: 'test', path, value: before },
              { op: 'replace', path, value },
            ],
          },
      writeOptions(context),
    );
  } catch (error) {
    // A failed test is a 422, like an invalid object, but a ledger cannot make the object invalid.
    if (isConflict(error) || (error instanceof ApiError && error.status === 422)) return undefined;
    throw error;
  }
}
