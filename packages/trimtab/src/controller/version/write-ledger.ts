import type { CallOptions, KubeClient } from '@trimtab/kube/client.ts';
import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { formatLedger, type Ledger } from '../../core/version/ledger.ts';
import { fieldManager } from '../context.ts';
import { replaceTested, StaleCacheError } from '../guarded-patch.ts';

/**
 * Guarded by the text that was read, so that two controllers can't reserve the same name. Where there is nothing to
 * write, the text is read again: a reservation that looks open may have been made, and its version deleted, meanwhile.
 */
export async function writeLedger(
  client: KubeClient,
  rollout: ConfigRollout,
  ledger: Ledger,
  how: CallOptions,
): Promise<ConfigRollout> {
  const { namespace = '', name = '', resourceVersion } = rollout.metadata;
  const before = rollout.metadata.annotations?.[annotations.ledger];
  const where = { namespace, name };
  const value = formatLedger(ledger);
  if (before === value) {
    const now = await client.get<ConfigRollout>(configRollouts, where, how);
    if (now.metadata.annotations?.[annotations.ledger] === value) return now;
    throw new StaleCacheError(`the ledger of ConfigRollout ${name} has changed`);
  }
  if (before === undefined) {
    const body = { metadata: { resourceVersion, annotations: { [annotations.ledger]: value } } };
    return client.patch(configRollouts, where, { type: 'merge', body }, { fieldManager, ...how });
  }
  const path = jsonPointer('metadata', 'annotations', annotations.ledger);
  return replaceTested(client, configRollouts, where, path, { from: before, to: value }, how);
}
