import type { ConfigRollout } from '../api/config-rollout.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { isVoid, knownLedger, type LedgerVersion } from '../core/version/ledger.ts';
import { readRollout } from './read-config.ts';
import type { VersionWriter } from './version-writer.ts';

/**
 * Reads the ledger once more after a version was created. A version of the same name may have been created and deleted
 * between the read of the ledger and the creation: then the new one is void, and the controller removes it.
 */
export async function confirmVersion(
  { client, signal }: VersionWriter,
  address: ConfigAddress,
  { metadata }: ConfigRollout,
  version: LedgerVersion,
): Promise<'valid' | 'void' | 'rollout gone'> {
  const rollout = await readRollout(client, address, signal);
  if (rollout === undefined || rollout.metadata.uid !== metadata.uid) return 'rollout gone';
  return isVoid(knownLedger(rollout), version) ? 'void' : 'valid';
}
