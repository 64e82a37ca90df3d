import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { currentHead, type Summary } from '../../../core/activation/current-version.ts';
import type { VersionHead } from '../../../core/version/version-head.ts';
import type { ConfigAddress } from '../addressing/config-address.ts';
import { listVersions, readHead } from './read-config.ts';

interface RolloutSummary extends Pick<ConfigRollout, 'metadata'> {
  status?: Summary | undefined;
}

/**
 * The version that is current, by the rule of the controller. The one that the status names says so itself, nearly
 * always, and need not be compared with the others; otherwise the status is old, or somebody has edited it.
 */
export async function readCurrentHead(
  client: KubeClient,
  address: ConfigAddress,
  rollout: RolloutSummary,
  signal?: AbortSignal,
): Promise<VersionHead | undefined> {
  const object = rollout.status?.current?.object;
  const said = object === undefined ? undefined : await readHead(client, address, rollout, object, signal);
  if (said?.state === 'current') return said;
  return currentHead(await listVersions(client, address, rollout, signal), rollout.status);
}
