import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { emptyLedger, type Ledger, parseLedger, rebuildLedger } from './ledger.ts';

/** The ledger of a rollout; where it is missing or damaged, what the versions themselves still tell. */
export function ledgerOf(
  rollout: ConfigRollout,
  versions: readonly { name: string; sequence: number }[],
): { ledger: Ledger; damaged: boolean } {
  const text = rollout.metadata.annotations?.[annotations.ledger];
  const ledger = text === undefined ? emptyLedger : parseLedger(text);
  return { ledger: rebuildLedger(ledger ?? emptyLedger, versions), damaged: ledger === undefined };
}
