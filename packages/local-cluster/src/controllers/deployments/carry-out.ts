import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { EventType } from '@trimtab/kube/events/event-object.ts';
import { deployments, replicaSets } from '@trimtab/kube/resource.ts';
import { isAlreadyExists, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import { errorText, isNamespaceGoing } from '../host/refusal.ts';
import { controllerOf } from '../pods/claim.ts';
import { hasDeadline, type News, withCondition } from './conditions.ts';
import type { DeploymentStatus } from './deployment-status.ts';
import type { Scaling } from './plan-rolling.ts';
import { revisionAnnotation, sizeAnnotations } from './revisions.ts';
import { sameTemplate } from './template.ts';

export interface PodWriters {
  client: KubeClient;
  now: number;
  recordEvent(type: EventType, reason: string, message: string): void;
}

/** Writes a condition or the revision of a Deployment. */
export async function writeChange(
  { client, now }: PodWriters,
  deployment: Deployment,
  { condition, revision }: { condition?: News; revision?: string },
): Promise<void> {
  const { metadata, status = {} } = deployment;
  const annotations =
    revision === undefined
      ? metadata.annotations
      : { ...metadata.annotations, [revisionAnnotation]: revision };
  const conditions = condition && withCondition(status.conditions ?? [], condition, now);
  const told = {
    ...deployment,
    metadata: { ...metadata, ...(annotations && { annotations }) },
    status: { ...status, ...(conditions && { conditions }) },
  };
  // A persisting failure is not written again.
  if (!isDeepStrictEqual(told, deployment)) await writeStatus(client, told, told.status);
}

export async function writeStatus(
  client: KubeClient,
  deployment: Deployment,
  status: DeploymentStatus,
): Promise<void> {
  await client.update(deployments, { ...deployment, status }, { subresource: 'status' });
}

/** Creates the new ReplicaSet. A foreign ReplicaSet of its name is a collision: the next attempt uses another name. */
export async function createSet(means: PodWriters, deployment: Deployment, set: ReplicaSet): Promise<void> {
  const { client, recordEvent } = means;
  const revision = set.metadata.annotations?.[revisionAnnotation] ?? '';
  const { name } = set.metadata;
  try {
    await client.create(replicaSets, set);
  } catch (error) {
    if (isAlreadyExists(error)) return meetExisting(means, deployment, set, revision);
    if (isNamespaceGoing(error)) return;
    const message = `Failed to create new replica set "${name}": ${errorText(error)}`;
    recordEvent('Warning', 'ReplicaSetCreateError', message);
    const condition: News = {
      type: 'Progressing',
      status: 'False',
      reason: 'ReplicaSetCreateError',
      message,
    };
    if (hasDeadline(deployment)) await writeChange(means, deployment, { condition });
    throw error;
  }
  if (set.spec.replicas > 0)
    recordEvent(
      'Normal',
      'ScalingReplicaSet',
      `Scaled up replica set ${name} from 0 to ${set.spec.replicas}`,
    );
  const condition: News = {
    type: 'Progressing',
    status: 'True',
    reason: 'NewReplicaSetCreated',
    message: `Created new replica set "${name}"`,
  };
  await writeChange(means, deployment, { revision, ...(hasDeadline(deployment) && { condition }) });
}

async function meetExisting(
  means: PodWriters,
  deployment: Deployment,
  wanted: ReplicaSet,
  revision: string,
): Promise<void> {
  const { namespace = '', name = '' } = wanted.metadata;
  const found = await means.client.get<ReplicaSet>(replicaSets, { namespace, name });
  const isOurs =
    controllerOf(found)?.uid === deployment.metadata.uid &&
    sameTemplate(found.spec.template, deployment.spec.template);
  if (isOurs) return writeChange(means, deployment, { revision });
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await writeStatus(means.client, deployment, { ...deployment.status, collisionCount });
}

/** Scales ReplicaSets one after the other. Returns the updated ReplicaSets by UID. */
export async function scaleSets(
  { client, recordEvent }: PodWriters,
  deployment: Deployment,
  scale: readonly Scaling[],
): Promise<Map<string, ReplicaSet>> {
  const scaled = new Map<string, ReplicaSet>();
  for (const { set, to } of scale) {
    const { uid = '', name } = set.metadata;
    const present = scaled.get(uid) ?? set;
    const from = present.spec.replicas;
    const annotations = { ...present.metadata.annotations, ...sizeAnnotations(deployment) };
    if (from === to && isDeepStrictEqual(annotations, present.metadata.annotations)) continue;
    const wanted = {
      ...present,
      metadata: { ...present.metadata, annotations },
      spec: { ...present.spec, replicas: to },
    };
    scaled.set(uid, await client.update(replicaSets, wanted));
    if (from === to) continue;
    const direction = from < to ? 'up' : 'down';
    recordEvent(
      'Normal',
      'ScalingReplicaSet',
      `Scaled ${direction} replica set ${name} from ${from} to ${to}`,
    );
  }
  return scaled;
}

export async function removeSets(client: KubeClient, sets: readonly ReplicaSet[]): Promise<void> {
  for (const { metadata } of sets) {
    const { namespace = '', name = '', uid = '' } = metadata;
    await client
      .delete(replicaSets, { namespace, name }, { preconditions: { uid } })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}
