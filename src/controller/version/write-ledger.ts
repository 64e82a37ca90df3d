import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { formatLedger, type Ledger } from '../../core/ledger.ts';
import type { CallOptions, KubeClient } from '../../kube/client.ts';
import { configRollouts } from '../../kube/resource.ts';
import { fieldManager } from '../context.ts';
import { replaceTested } from '../guarded-patch.ts';

/** Guarded by the text that was read, so that two controllers can't reserve the same name. */
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
  if (before === value) return rollout;
  if (before === undefined) {
    const body = { metadata: { resourceVersion, annotations: { [annotations.ledger]: value } } };
    return client.patch(configRollouts, where, { type: 'merge', body }, { fieldManager, ...how });
  }
  const path = `/metadata/annotations/${annotations.ledger.replace('/', '~1')}`;
  return replaceTested(client, configRollouts, where, path, { from: before, to: value }, how);
}
