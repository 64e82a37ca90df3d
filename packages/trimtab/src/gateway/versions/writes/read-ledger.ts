import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { annotations } from '../../../api/names.ts';
import type { Ledger } from '../../../core/version/ledger.ts';
import { ledgerOf } from '../../../core/version/ledger.ts';
import type { ConfigAddress } from '../addressing/config-address.ts';
import { listVersions } from '../reads/read-config.ts';
import type { WriteContext } from './write-context.ts';

/** Reads the ledger of the rollout. Versions are listed only when the ledger is missing or damaged. */
export async function readLedger(
  { client }: WriteContext,
  address: ConfigAddress,
  rollout: ConfigRollout,
): Promise<Ledger> {
  const { ledger, damaged } = ledgerOf(rollout, []);
  if (!damaged && rollout.metadata.annotations?.[annotations.ledger] !== undefined) return ledger;
  return ledgerOf(rollout, await listVersions(client, address, rollout)).ledger;
}
