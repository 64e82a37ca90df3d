import type { DeleteOptions } from '@trimtab/kube/client.ts';
import { sleep, systemClock } from '@trimtab/kube/clock.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { ApiError, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { knownLedger, ledgerOf, rebuildLedger, recordDeletions } from '../core/version/ledger.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import { listConfigVersions, readRollout } from './read-config.ts';
import type { VersionWriter } from './version-writer.ts';
import { writeLedger } from './write-ledger.ts';

/** Concurrent writers of one ledger conflict, and one of them succeeds in each round. */
const maxAttempts = 30;

/**
 * Records the deletion of versions in the ledger. Returns the rollout, or undefined when it was deleted or is written
 * by too many others.
 */
export async function recordDeletion(
  writer: VersionWriter,
  address: ConfigAddress,
  rollout: ConfigRollout,
  going: readonly VersionMetadata[],
): Promise<ConfigRollout | undefined> {
  let seen: ConfigRollout | undefined = rollout;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const existing = (await listConfigVersions(writer.client, address)).map(({ version }) => version);
    const before = typeof ledgerOf(seen) === 'string' ? rebuildLedger(existing) : knownLedger(seen);
    const written = await writeLedger(writer, seen, recordDeletions(before, going, existing));
    if (written !== undefined) return written;
    seen = await readRollout(writer.client, address);
    if (seen === undefined || seen.metadata.uid !== rollout.metadata.uid) return undefined;
  }
  return undefined;
}

/** API servers read the ledgers for the policy from a watch, so a policy sees a new ledger with a delay. */
const guardDelaysMs = [20, 50, 100, 200, 400, 800, 1_600];

/**
 * Deletes the object of a version whose deletion is recorded. The policy `ledger` denies it with 422 until the API
 * server has seen the record. `isStillUnused` decides again before each further attempt; by default, nothing is decided
 * again. Returns false when the object does not exist, or is used now.
 */
export async function deleteVersionObject(
  { client, signal }: Omit<VersionWriter, 'fieldManager'>,
  { kind, namespace, object, uid }: Pick<VersionMetadata, 'kind' | 'namespace' | 'object' | 'uid'>,
  options: DeleteOptions = {},
  isStillUnused: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const preconditions = { uid, ...options.preconditions };
  for (let attempt = 0; ; attempt++) {
    try {
      await client.delete(
        configResources[kind],
        { namespace, name: object },
        { ...options, preconditions, ...(signal !== undefined && { signal }) },
      );
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      const delayMs = guardDelaysMs[attempt];
      const isTooEarly = error instanceof ApiError && error.status === 422;
      // A dry run records nothing, so only this policy denies it.
      if (isTooEarly && options.dryRun) return true;
      if (!isTooEarly || delayMs === undefined) throw error;
      await sleep(systemClock, delayMs, signal);
      if (!(await isStillUnused())) return false;
    }
  }
}
