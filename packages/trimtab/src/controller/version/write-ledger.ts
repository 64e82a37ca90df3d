import type { CallOptions, KubeClient } from '@trimtab/kube/client.ts';
import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { formatLedger, type Ledger } from '../../core/version/ledger.ts';
import { fieldManager } from '../context.ts';
import { replaceTested, StaleCacheError } from '../guarded-patch.ts';

/**
 * Writes the ledger only if it still has the text that was read, so two controllers cannot reserve the same name. When
 * nothing must be written, the ledger is read again: the version of an open reservation in the cache may have been
 * created and deleted since.
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
    throw new StaleCacheError(`ledger of ConfigRollout ${name} has changed since it was read`);
  }
  if (before === undefined) {
    const body = { metadata: { resourceVersion, annotations: { [annotations.ledger]: value } } };
    return client.patch(configRollouts, where, { type: 'merge', body }, { fieldManager, ...how });
  }
  const path = jsonPointer('metadata', 'annotations', annotations.ledger);
  return replaceTested(client, configRollouts, where, path, { from: before, to: value }, how);
}
