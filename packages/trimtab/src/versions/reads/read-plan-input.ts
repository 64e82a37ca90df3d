import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';
import { readVersion } from '../read-config.ts';
import { listPermitted } from './list-permitted.ts';
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
  others: ConfigRollout[];
  versions: VersionMetadata[];
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
  const { namespace } = address;
  const [current, listed, rollouts, ...versions] = await Promise.all([
    now === undefined ? undefined : readVersion(client, address, rollout, now, signal),
    listWorkloads<Workload>(client, namespace, signal),
    listPermitted<ConfigRollout>(client, configRollouts, { namespace, signal }),
    ...Object.values(configResources).map((resource) =>
      listPermitted(client, resource, {
        ...{ namespace, signal, labelSelector: labels.versionOf },
        projection: 'metadata',
      }),
    ),
  ]);
  const kinds = Object.keys(configResources) as ConfigKind[];
  return {
    rollout,
    target,
    current,
    workloads: listed.workloads,
    others: (rollouts ?? []).filter(({ metadata }) => metadata.uid !== rollout.metadata.uid),
    // Versions that the caller may not list belong to configs that the caller may not read.
    versions: kinds.flatMap((kind, index) =>
      (versions[index] ?? []).flatMap((each) => versionIn(kind, each)),
    ),
    hidden: [...listed.hidden, ...(rollouts === undefined ? [configRollouts.plural] : [])],
  };
}

function versionIn(kind: ConfigKind, { metadata: own }: KubeObject): VersionMetadata[] {
  const version = versionMetadata({
    kind,
    namespace: own.namespace ?? '',
    name: own.name ?? '',
    uid: own.uid ?? '',
    labels: own.labels ?? {},
    annotations: own.annotations ?? {},
    ownerReferences: own.ownerReferences ?? [],
  });
  return version === undefined ? [] : [version];
}
