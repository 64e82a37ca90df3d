import type { KubeClient } from '@trimtab/kube/client.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { noConfig } from '../../versions/not-found.ts';
import { readRollout } from '../../versions/read-config.ts';
import { CommandFailure, notInstalled } from '../failure.ts';
import { isTrimtabServed } from './require-trimtab.ts';

/** Reads the ConfigRollout of a config. Says what is missing when there is none. */
export async function findRollout(client: KubeClient, address: ConfigAddress): Promise<ConfigRollout> {
  const rollout = await readRollout(client, address);
  if (rollout !== undefined) return rollout;
  throw await whyNoRollout(client, address);
}

/** Why a config has no ConfigRollout: no Trimtab, no config, or the config is not managed. */
export async function whyNoRollout(client: KubeClient, address: ConfigAddress): Promise<Error> {
  const [isInstalled, live] = await Promise.all([isTrimtabServed(client), exists(client, address)]);
  if (!isInstalled) return notInstalled();
  if (live === false) return noConfig(address, 'create-config');
  const { kind, name } = address;
  const type = kind.toLowerCase();
  return new CommandFailure(`${type} "${name}" is not managed by Trimtab`, {
    hint: `manage it for the workloads that use it with \`trimtab manage\`, or for one workload with \`trimtab set owner ${type}/${name} deployment/NAME\``,
  });
}

/** Undefined when the caller may not read the config. */
async function exists(
  client: KubeClient,
  { kind, namespace, name }: ConfigAddress,
): Promise<boolean | undefined> {
  try {
    const options = { projection: 'metadata' as const };
    const found = await getIfExists<KubeObject>(client, configResources[kind], { namespace, name }, options);
    return found !== undefined;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
