import type { KubeClient } from '@trimtab/kube/client.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import {
  configResources,
  controllerRevisions,
  pods,
  type Resource,
  replicaSets,
  workloadResources,
} from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import type { RolloutUse } from '../../core/retention/unused-rollout.ts';
import { configLabelValue } from '../../core/version/object-names.ts';
import { pod } from '../../core/workload/observe-pod.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { usedObjects, workload } from '../../core/workload/reduce-workload.ts';
import { revision } from '../cache/revisions.ts';
import { isInAdvance } from './rollout-use.ts';

interface Referrer {
  references: readonly { kind: ConfigKind; name: string }[];
}

/** Everything whose pod template or spec can reference a config. Pods last, because there are the most of them. */
const referrers: [Resource, (object: KubeObject) => Referrer][] = [
  [workloadResources.Deployment, workloadUses('Deployment')],
  [workloadResources.StatefulSet, workloadUses('StatefulSet')],
  [workloadResources.DaemonSet, workloadUses('DaemonSet')],
  [replicaSets, revision('ReplicaSet')],
  [controllerRevisions, revision('ControllerRevision')],
  [pods, pod],
];

function workloadUses(kind: WorkloadKind): (object: KubeObject) => Referrer {
  const reduce = workload(kind);
  return (object) => ({ references: usedObjects(reduce(object)) });
}

/** Reads from the API server what keeps a rollout: the watches of seven kinds may each lag behind. */
export async function liveUse(
  client: KubeClient,
  rollout: ConfigRollout,
  signal: AbortSignal,
): Promise<RolloutUse> {
  const { kind, name } = rollout.spec.config;
  const { namespace = '' } = rollout.metadata;
  const how = { signal, lowPriority: true };
  const metadataOnly = { ...how, projection: 'metadata' as const };
  const config = await getIfExists(client, configResources[kind], { namespace, name }, metadataOnly);
  const copies = new Set<string>();
  const labelSelector = `${labels.versionOf},${labels.config}=${configLabelValue(name)}`;
  for await (const page of listAll(client, configResources[kind], {
    namespace,
    labelSelector,
    ...metadataOnly,
  }))
    for (const { metadata } of page.type === 'page' ? page.items : []) copies.add(metadata.name ?? '');
  const names = new Set([name, ...copies]);
  const isOurs = ({ references }: Referrer) =>
    references.some((reference) => reference.kind === kind && names.has(reference.name));
  let referenced = false;
  for (const [resource, reduce] of referrers)
    referenced ||= await anyOf(client, resource, namespace, (object) => isOurs(reduce(object)), how);
  return { configExists: config !== undefined, referenced, inAdvance: isInAdvance(rollout, copies.size) };
}

async function anyOf(
  client: KubeClient,
  resource: Resource,
  namespace: string,
  condition: (object: KubeObject) => boolean,
  how: { signal: AbortSignal; lowPriority: boolean },
): Promise<boolean> {
  for await (const page of listAll(client, resource, { namespace, ...how }))
    if (page.type === 'page' && page.items.some(condition)) return true;
  return false;
}
