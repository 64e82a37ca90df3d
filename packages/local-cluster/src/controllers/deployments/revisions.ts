import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import { limitsOf } from './limits.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxAnnotation = 'deployment.kubernetes.io/max-replicas';

/** Annotations that are not copied from a Deployment to its ReplicaSets. All others are copied. */
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
]);

const maxHistoryLength = 2000;

type Annotations = Record<string, string>;

/** Returns 0 when the annotation is missing, and undefined when it is not a number. */
export function revisionOf({ metadata }: KubeObject): number | undefined {
  const text = metadata.annotations?.[revisionAnnotation];
  if (text === undefined) return 0;
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) : undefined;
}

export function nextRevision(oldSets: readonly ReplicaSet[]): number {
  return Math.max(0, ...oldSets.map((set) => revisionOf(set) ?? 0)) + 1;
}

/** The desired annotations of the new ReplicaSet: those of its Deployment, and the highest revision. */
export function annotationsOfNewSet(
  deployment: Deployment,
  before: Annotations | undefined,
  revision: number,
): Annotations {
  const after: Annotations = { ...before };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {}))
    if (!notCopied.has(key)) after[key] = value;
  const old = revisionOf({ metadata: { annotations: before ?? {} } });
  // Another writer has set a revision that is not a number: leave all annotations unchanged.
  if (old === undefined) return { ...before };
  if (old >= revision) return after;
  after[revisionAnnotation] = String(revision);
  const served = before?.[revisionAnnotation];
  if (served !== undefined) after[historyAnnotation] = longerHistory(before?.[historyAnnotation], served);
  return after;
}

/** Appends a revision. Drops the oldest revisions when the list becomes too long. */
function longerHistory(history: string | undefined, served: string): string {
  if (!history) return served;
  const all = [...history.split(','), served];
  while (all.length > 1 && all.join(',').length > maxHistoryLength) all.shift();
  return all.join(',');
}

/** A later reconcile compares these annotations with the spec to detect scaling and the previous size. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const { replicas } = deployment.spec;
  return {
    [desiredAnnotation]: String(replicas),
    [maxAnnotation]: String(replicas + limitsOf(deployment).maxSurge),
  };
}

/** The size in one of the annotations above. Undefined when it is missing or not a valid int32. */
export function sizeIn({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  if (text === undefined || !/^[0-9]+$/.test(text)) return undefined;
  const size = Number(text);
  return size > 0x7fffffff ? undefined : size;
}
