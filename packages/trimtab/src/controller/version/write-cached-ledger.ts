import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { Ledger } from '../../core/version/ledger.ts';
import { writeLedger } from '../../versions/write-ledger.ts';
import { fieldManager } from '../context.ts';
import { StaleCacheError } from '../guarded-patch.ts';

/** Writes the ledger of a rollout that was observed. Throws when the ledger has changed since. */
export async function writeCachedLedger(
  client: KubeClient,
  rollout: ConfigRollout,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<ConfigRollout> {
  const written = await writeLedger({ client, fieldManager, signal }, rollout, ledger);
  if (written !== undefined) return written;
  throw new StaleCacheError(`ledger of ConfigRollout ${rollout.metadata.name} has changed since it was read`);
}
