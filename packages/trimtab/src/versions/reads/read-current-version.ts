import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { findCurrentVersion, type StatusSummary } from '../../core/activation/current-version.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { listVersions, readVersionMetadata } from '../read-config.ts';

interface StatusHolder extends Pick<ConfigRollout, 'metadata'> {
  status?: StatusSummary | undefined;
}

/**
 * Reads the current version by the controller's rule. Nearly always, the version in the status is marked as current
 * itself and needs no comparison with the others. Otherwise the status is outdated or was edited.
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
