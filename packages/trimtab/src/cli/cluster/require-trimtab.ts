import type { KubeClient } from '@trimtab/kube/client.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { readRollout } from '../../versions/read-config.ts';
import { CommandFailure, notInstalled } from '../failure.ts';
import { typedName } from '../object-argument.ts';

/** Throws when the API server does not serve ConfigRollouts. Discovery is open to all users. */
export async function requireTrimtab(client: KubeClient): Promise<void> {
  if (!(await isTrimtabServed(client))) throw notInstalled();
}

export async function isTrimtabServed(client: KubeClient): Promise<boolean> {
  const path = `/apis/${configRollouts.group}/${configRollouts.version}`;
  try {
    await client.raw({ method: 'GET', path });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Reads the ConfigRollout of a config. Throws when Trimtab is not installed, or the config is not managed. */
export async function requireRollout(client: KubeClient, address: ConfigAddress): Promise<ConfigRollout> {
  const rollout = await readRollout(client, address);
  if (rollout !== undefined) return rollout;
  await requireTrimtab(client);
  throw new CommandFailure(
    `${typedName(address)} in namespace ${address.namespace} is not managed: it has no ConfigRollout`,
    { hint: 'opt in a workload that uses it with `trimtab manage deployment/NAME`' },
  );
}
