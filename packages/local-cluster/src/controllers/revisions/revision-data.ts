import { isDeepStrictEqual } from 'node:util';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../objects/pod.ts';
import type { ControllerRevision } from '../../objects/workloads.ts';
import { templateHash } from '../deployments/template.ts';
import { controllerReference } from '../pods/new-pod.ts';

export interface Templated extends KubeObject {
  spec: { template: PodTemplate };
  status?: { collisionCount?: number };
}

/** The owner's resource, and the label that holds the hash of a revision. */
export interface RevisionKind {
  owner: Resource;
  hashLabel: 'controller-revision-hash' | 'controller.kubernetes.io/hash';
}

interface RevisionData {
  spec: { template: PodTemplate & { $patch: 'replace' } };
}

/** The data of a ControllerRevision: a strategic merge patch that restores the template. */
function dataOf(template: PodTemplate): RevisionData {
  return { spec: { template: { ...template, $patch: 'replace' } } };
}

export function templateOf({ data }: ControllerRevision): PodTemplate {
  const { $patch: _, ...template } = (data as RevisionData).spec.template;
  return template;
}

export function holdsTemplate({ data }: ControllerRevision, template: PodTemplate): boolean {
  return isDeepStrictEqual(data, JSON.parse(JSON.stringify(dataOf(template))));
}

/** A revision for the owner's current template, to be created. */
export function newRevision(
  { owner: resource, hashLabel }: RevisionKind,
  owner: Templated,
  revision: number,
  collisionCount: number | undefined,
): ControllerRevision {
  const { template } = owner.spec;
  const hash = templateHash(template, collisionCount);
  const { name, namespace = '', annotations } = owner.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      ...(annotations && { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(resource, owner)],
    },
    data: dataOf(template),
    revision,
  };
}

/** Sorts by revision number, the oldest first, then by age and name. */
export function inOrder(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  const ageOf = ({ metadata }: ControllerRevision) => metadata.creationTimestamp ?? '';
  return [...revisions].sort(
    (a, b) =>
      a.revision - b.revision ||
      ageOf(a).localeCompare(ageOf(b)) ||
      (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''),
  );
}

/** The unused revisions beyond the limit, the oldest first. */
export function surplus(
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  limit: number,
): ControllerRevision[] {
  const idle = inOrder(revisions).filter((each) => !isLive(each));
  return idle.slice(0, Math.max(0, idle.length - limit));
}
