import type { Container, ContainerStatus, Pod } from '../../objects/pod.ts';
import { isActive, isReady } from '../pods/pod-state.ts';

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

interface Candidate {
  pod: Pod;
  /** Number of active pods of the same family on the pod's node. */
  company: number;
}

/** Returns a negative number when `a` is to be deleted before `b`. */
type Check = (a: Candidate, b: Candidate, now: number) => number;

/** The first check that ranks two pods differently decides which one is deleted first. */
const checks: Check[] = [
  unassigned,
  earlierPhase,
  notReady,
  cheaper,
  crowded,
  readyForShorter,
  restartedMore,
  younger,
];

/**
 * Selects `count` pods to delete, in the order of Kubernetes' ReplicaSet controller. `family` are the pods of all
 * ReplicaSets of the same owner: pods on a node with more of them are deleted first.
 */
export function podsToDelete(
  pods: readonly Pod[],
  family: readonly Pod[],
  count: number,
  now: number,
): Pod[] {
  if (count >= pods.length) return [...pods];
  const onNode = new Map<string, number>();
  for (const each of family) {
    if (!isActive(each)) continue;
    const node = each.spec.nodeName ?? '';
    onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  return pods
    .map((pod) => ({ pod, company: onNode.get(pod.spec.nodeName ?? '') ?? 0 }))
    .sort((a, b) => compare(a, b, now))
    .slice(0, count)
    .map(({ pod }) => pod);
}

function compare(a: Candidate, b: Candidate, now: number): number {
  for (const check of checks) {
    const difference = check(a, b, now);
    if (difference !== 0) return difference;
  }
  return 0;
}

function unassigned(a: Candidate, b: Candidate): number {
  return (a.pod.spec.nodeName ? 1 : 0) - (b.pod.spec.nodeName ? 1 : 0);
}

function earlierPhase(a: Candidate, b: Candidate): number {
  return phaseOrder(a.pod) - phaseOrder(b.pod);
}

function phaseOrder({ status }: Pod): number {
  return status?.phase === 'Running' ? 2 : status?.phase === 'Unknown' ? 1 : 0;
}

function notReady(a: Candidate, b: Candidate): number {
  return (isReady(a.pod) ? 1 : 0) - (isReady(b.pod) ? 1 : 0);
}

function cheaper(a: Candidate, b: Candidate): number {
  return costOf(a.pod) - costOf(b.pod);
}

/** The API server rejects a cost that is not an integer. If an object has one anyway, it counts as 0. */
function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[costAnnotation] ?? '0';
  return /^-?[0-9]+$/.test(text) ? Number(text) : 0;
}

function crowded(a: Candidate, b: Candidate): number {
  return b.company - a.company;
}

function readyForShorter(a: Candidate, b: Candidate, now: number): number {
  if (!isReady(a.pod) || !isReady(b.pod)) return 0;
  return later(readySince(a.pod), readySince(b.pod), a, b, now);
}

function readySince({ status }: Pod): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
}

function restartedMore(a: Candidate, b: Candidate): number {
  const [first, second] = [restartsOf(a.pod), restartsOf(b.pod)];
  return second.regular - first.regular || second.sidecar - first.sidecar;
}

function restartsOf({ spec, status }: Pod): { regular: number; sidecar: number } {
  const isSidecar = ({ name }: ContainerStatus) =>
    (spec.initContainers ?? []).some(
      (each: Container) => each.name === name && each.restartPolicy === 'Always',
    );
  const most = (statuses: readonly ContainerStatus[]) =>
    Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
  return {
    regular: most(status?.containerStatuses ?? []),
    sidecar: most((status?.initContainerStatuses ?? []).filter(isSidecar)),
  };
}

function younger(a: Candidate, b: Candidate, now: number): number {
  return later(a.pod.metadata.creationTimestamp, b.pod.metadata.creationTimestamp, a, b, now);
}

/** Compares ages by powers of two, as Kubernetes does: among pods of similar age the choice is arbitrary, by UID. */
function later(
  first: string | undefined,
  second: string | undefined,
  a: Candidate,
  b: Candidate,
  now: number,
): number {
  if (first === second) return 0;
  if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
  const difference = magnitude(now - Date.parse(first)) - magnitude(now - Date.parse(second));
  if (difference !== 0) return difference;
  return (a.pod.metadata.uid ?? '') < (b.pod.metadata.uid ?? '') ? -1 : 1;
}

/** Kubernetes takes the logarithm of nanoseconds. */
function magnitude(ageMs: number): number {
  return ageMs > 0 ? Math.floor(Math.log2(ageMs * 1e6)) : -1;
}
