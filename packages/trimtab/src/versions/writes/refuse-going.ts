import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { isDeletedName, knownLedger } from '../../core/version/ledger.ts';
import { noVersion } from '../not-found.ts';
import { readVersion } from '../read-config.ts';
import { conflict } from '../refusal.ts';
import type { VersionWriter } from '../version-writer.ts';

/**
 * Refuses to activate a version that was deleted or is being purged. The ledger of `rollout` must be the one that the
 * write of the request is conditional on: a purge marks the version before it records the deletion, so the mark is seen
 * here, or the write conflicts. The record alone refuses nothing: a version may outlive it for long, as when its deletion
 * was refused, or when the version is left to old revisions.
 */
export async function refuseGoing(
  { client, signal }: VersionWriter,
  address: ConfigAddress,
  rollout: ConfigRollout,
  name: string,
): Promise<void> {
  if (!isDeletedName(knownLedger(rollout), name)) return;
  const found = await readVersion(client, address, rollout, name, signal);
  if (found === undefined) throw noVersion(address, name);
  const { purgedBy } = found.version;
  if (purgedBy === undefined) return;
  const { plural } = configResources[address.kind];
  throw conflict(
    `version ${JSON.stringify(name)} of ${plural} ${JSON.stringify(address.name)} is being purged by ${JSON.stringify(purgedBy)}; activate another version, or repeat the purge if it was interrupted`,
    { kind: plural, name: address.name },
  );
}
