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

/** What tells the revisions of an owner apart, and under which label its hash stands. */
export interface RevisionKind {
  owner: Resource;
  hashLabel: 'controller-revision-hash' | 'controller.kubernetes.io/hash';
}

interface RevisionData {
  spec: { template: PodTemplate & { $patch: 'replace' } };
}

/** A template as a ControllerRevision keeps it: a strategic merge patch that puts it back. */
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

/** The revision of an owner's present template, not yet made. */
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

/** Oldest first; of the same number, by age and name. */
export function inOrder(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  const ageOf = ({ metadata }: ControllerRevision) => metadata.creationTimestamp ?? '';
  return [...revisions].sort(
    (a, b) =>
      a.revision - b.revision ||
      ageOf(a).localeCompare(ageOf(b)) ||
      (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''),
  );
}

/** Those beyond the limit that nothing uses, the oldest first. */
export function surplus(
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  limit: number,
): ControllerRevision[] {
  const idle = inOrder(revisions).filter((each) => !isLive(each));
  return idle.slice(0, Math.max(0, idle.length - limit));
}
