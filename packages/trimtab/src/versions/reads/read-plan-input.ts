import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { readVersion } from '../read-config.ts';
import { type ListedWorkloads, listWorkloads } from './list-workloads.ts';
import { readCurrentVersion } from './read-current-version.ts';

interface VersionWithContent {
  version: VersionMetadata;
  body: ConfigBody;
}

interface PlanInput<Workload> extends ListedWorkloads<Workload> {
  rollout: ConfigRollout;
  target: VersionWithContent;
  current: VersionWithContent | undefined;
}

/** Reads what the preview of an activation needs, with the rights of the client. */
export async function readPlanInput<Workload extends KubeObject>(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
  target: VersionWithContent,
  signal: AbortSignal,
): Promise<PlanInput<Workload>> {
  const now = (await readCurrentVersion(client, address, rollout, signal))?.name;
  const [current, listed] = await Promise.all([
    now === undefined ? undefined : readVersion(client, address, rollout, now, signal),
    listWorkloads<Workload>(client, address.namespace, signal),
  ]);
  return { rollout, target, current, ...listed };
}
