import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { versionUsers } from '../../core/version/version-users.ts';
import { noConfig } from '../../versions/not-found.ts';
import { listVersionBodies, readLive, readRollout, versionsOf } from '../../versions/read-config.ts';
import { readUsingObjects } from '../../versions/reads/read-using-objects.ts';
import type { PurgeInput } from '../../view/purge-plan.ts';
import { CommandFailure } from '../failure.ts';

interface ReadInput extends Omit<PurgeInput, 'key' | 'version'> {
  /** Resources that the caller may not list. */
  hidden: string[];
}

/** Reads all versions of a config with their content, and what uses them. A deleted ConfigRollout may have left some. */
export async function readPurgeInput(client: KubeClient, address: ConfigAddress): Promise<ReadInput> {
  const { namespace, kind, name } = address;
  const [rollout, live, listed, { hidden, ...objects }] = await Promise.all([
    readRollout(client, address),
    readLive(client, address),
    listVersionBodies(client, address),
    readUsingObjects(client, namespace),
  ]);
  const usersOf = hidden.length > 0 ? undefined : versionUsers(objects);
  const read = { address, rollout, live, usersOf, hidden };
  if (rollout !== undefined) {
    const versions = versionsOf(rollout, listed);
    return { ...read, versions, strays: listed.filter((each) => !versions.includes(each)) };
  }
  if (listed.length > 0) return { ...read, versions: listed, strays: [] };
  if (live === undefined) throw noConfig(address);
  throw new CommandFailure(`${kind.toLowerCase()} "${name}" is not managed by Trimtab and has no versions`, {
    hint: 'edit it; Kubernetes keeps no old content of it',
  });
}
