import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { reservedVersionName } from '../../api/names.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { unmanagedVersionName } from '../../core/version/unmanaged-version.ts';
import { stateOf } from '../../core/version/version-state.ts';
import { noConfig, noVersion } from '../not-found.ts';
import { readLive, readRollout, readVersion } from '../read-config.ts';
import { notFound } from '../refusal.ts';
import { presentUnmanaged, presentVersion, type VersionedConfig } from './present.ts';
import { readCurrentVersion } from './read-current-version.ts';

/** Reads a version with the caller's rights; `current` names the current version. Throws a 404 for a missing one. */
export async function findVersion(
  client: KubeClient,
  address: ConfigAddress,
  version: string,
  signal: AbortSignal,
): Promise<VersionedConfig> {
  const rollout = await readRollout(client, address, signal);
  if (rollout === undefined) return unmanaged(address, version, await readLive(client, address, signal));
  const current = (await readCurrentVersion(client, address, rollout, signal))?.name;
  const name = version === reservedVersionName ? current : version;
  const found = name === undefined ? undefined : await readVersion(client, address, rollout, name, signal);
  if (found === undefined) throw noVersion(address, version);
  const state = stateOf(rollout, found.version.name === current, found.version);
  return presentVersion({ ...found.version, state }, found.body);
}

function unmanaged(address: ConfigAddress, version: string, live: ConfigBody | undefined): VersionedConfig {
  if (live === undefined) throw noConfig(address);
  const only = unmanagedVersionName(live);
  if (version === only || version === reservedVersionName) return presentUnmanaged(live);
  const { kind, name } = address;
  throw notFound(
    `${configResources[kind].plural} ${JSON.stringify(name)} is not managed by Trimtab and has only version ${JSON.stringify(only)}`,
    { kind: configResources[kind].plural, name },
  );
}
