import { apiVersion, deployments, replicaSets } from '@trimtab/kube/resource.ts';
import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import { controllerReference } from '../pods/new-pod.ts';
import { allSets, type DeploymentSnapshot, totalReplicas } from './deployment-snapshot.ts';
import { limitsOf } from './limits.ts';
import { annotationsOfNewSet, nextRevision, sizeAnnotations } from './revisions.ts';
import { hashLabel, templateHash } from './template.ts';

const maxNameLength = 253;

/** The ReplicaSet for the Deployment's current template. Its name is derived from the template: it is created once. */
export function newReplicaSet({ deployment, oldSets }: DeploymentSnapshot): ReplicaSet {
  const { spec, metadata, status } = deployment;
  const hash = templateHash(spec.template, status?.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [hashLabel]: hash };
  const { minReadySeconds } = spec;
  return {
    apiVersion: apiVersion(replicaSets),
    kind: replicaSets.kind,
    metadata: {
      name: `${(metadata.name ?? '').slice(0, maxNameLength - hash.length - 1)}-${hash}`,
      namespace: metadata.namespace ?? '',
      labels,
      annotations: {
        ...annotationsOfNewSet(deployment, {}, nextRevision(oldSets)),
        ...sizeAnnotations(deployment),
      },
      ownerReferences: [controllerReference(deployments, deployment)],
    },
    spec: {
      replicas: roomFor(deployment, 0, totalReplicas(oldSets)),
      ...(minReadySeconds && { minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [hashLabel]: hash } },
      template: {
        ...structuredClone(spec.template),
        metadata: { ...structuredClone(spec.template.metadata), labels },
      },
    },
  };
}

/** The maximum size that the limits currently allow for the new ReplicaSet. */
export function sizeOfNewSet(seen: DeploymentSnapshot & { newSet: ReplicaSet }): number {
  return roomFor(seen.deployment, seen.newSet.spec.replicas, totalReplicas(allSets(seen)));
}

function roomFor(deployment: Deployment, present: number, total: number): number {
  const { replicas, strategy } = deployment.spec;
  if (strategy.type === 'Recreate') return replicas;
  const room = replicas + limitsOf(deployment).maxSurge - total;
  return room <= 0 ? present : present + Math.min(room, replicas - present);
}
