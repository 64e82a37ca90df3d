import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { readVersion } from '../read-config.ts';
import { alreadyExists, type Refusal } from '../refusal.ts';

/** The 409 for a used version name, with its creator and time where known. Version names are never reused. */
export async function nameUsed(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
  version: string,
): Promise<Refusal> {
  const plural = configResources[address.kind].plural;
  const which = `version ${JSON.stringify(version)} of ${plural} ${JSON.stringify(address.name)}`;
  const about = { kind: plural, name: address.name };
  const found = await readVersion(client, address, rollout, version);
  if (found !== undefined) {
    const { creationTimestamp = 'an unknown time', annotations: own = {} } = found.body.metadata;
    const by = own[annotations.createdBy] ?? 'an unknown user';
    return alreadyExists(
      `${which} already exists, created at ${creationTimestamp} by ${by}: choose another name, or omit it for an automatic name`,
      about,
    );
  }
  const past = rollout.status?.history?.find((each) => each.version === version);
  const when = past === undefined ? 'before' : `before (rolled out at ${past.startedAt})`;
  return alreadyExists(
    `${which} existed ${when} and was deleted; version names are never reused: choose another name, or omit it for an automatic name`,
    about,
  );
}
