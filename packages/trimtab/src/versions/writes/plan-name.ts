import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { isDeletedName, knownLedger, nextAutomaticName, nextSequence } from '../../core/version/ledger.ts';
import type { PlannedVersion } from '../../core/version/version-plan.ts';
import { nameUsed } from './name-used.ts';
import type { WriteContext } from './write-context.ts';

/** The name that a version would get now. Throws a 409 for a name that exists or ever existed. Writes nothing. */
export async function planName(
  { client }: WriteContext,
  address: ConfigAddress,
  rollout: ConfigRollout,
  existing: readonly { name: string; sequence: number }[],
  chosen: string | undefined,
): Promise<PlannedVersion> {
  const ledger = knownLedger(rollout);
  const isUsed = (name: string) =>
    isDeletedName(ledger, name) || existing.some((version) => version.name === name);
  if (chosen !== undefined && isUsed(chosen)) throw await nameUsed(client, address, rollout, chosen);
  return {
    name: chosen ?? nextAutomaticName(ledger, existing, () => false),
    sequence: nextSequence(ledger, existing),
  };
}
