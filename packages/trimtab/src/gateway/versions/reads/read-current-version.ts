import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { findCurrentVersion, type StatusSummary } from '../../../core/activation/current-version.ts';
import type { VersionMetadata } from '../../../core/version/version-metadata.ts';
import type { ConfigAddress } from '../addressing/config-address.ts';
import { listVersions, readVersionMetadata } from './read-config.ts';

interface StatusHolder extends Pick<ConfigRollout, 'metadata'> {
  status?: StatusSummary | undefined;
}

/**
 * The version that is current, by the rule of the controller. The one that the status names says so itself, nearly
 * always, and need not be compared with the others; otherwise the status is old, or somebody has edited it.
 */
export async function readCurrentVersion(
  client: KubeClient,
  address: ConfigAddress,
  rollout: StatusHolder,
  signal?: AbortSignal,
): Promise<VersionMetadata | undefined> {
  const object = rollout.status?.current?.object;
  const said =
    object === undefined ? undefined : await readVersionMetadata(client, address, rollout, object, signal);
  if (said?.state === 'current') return said;
  return findCurrentVersion(await listVersions(client, address, rollout, signal), rollout.status);
}
