import type { Node } from '../../objects/node.ts';
import type { IntOrString, Pod } from '../../objects/pod.ts';
import type { DaemonSet } from '../../objects/workloads.ts';
import { isAvailable, isReady } from '../pods/pod-state.ts';
import { isUpdated, nodeOf } from './daemon-pod.ts';
import { nodeShouldRun } from './node-should-run.ts';

export interface DaemonSetSnapshot {
  set: DaemonSet;
  nodes: readonly Node[];
  pods: readonly Pod[];
  /** The revision hash of the current template. */
  hash: string;
  isGoing(pod: Pod): boolean;
  now: number;
}

export interface DaemonPlan {
  /** Names of the nodes to create a pod for. */
  create: string[];
  delete: Pod[];
  /** Pods that failed or succeeded. Failed pods are deleted with backoff. */
  ended: { pod: Pod; node: string; how: 'failed' | 'succeeded' }[];
}

/** Plans one reconcile of a DaemonSet: first one pod per node, then the rolling update of outdated pods. */
export function planDaemonSet(snapshot: DaemonSetSnapshot): DaemonPlan {
  const plan: DaemonPlan = { create: [], delete: [], ended: [] };
  const byNode = podsByNode(snapshot.pods);
  for (const node of snapshot.nodes) manage(snapshot, node, byNode.get(node.metadata.name ?? ''), plan);
  const { type } = snapshot.set.spec.updateStrategy;
  const isBusy = plan.create.length + plan.delete.length + plan.ended.length > 0;
  // Pending creations and deletions count against the limits at the next reconcile, so the update waits for it.
  if (type === 'RollingUpdate' && !isBusy) roll(snapshot, byNode, plan);
  return plan;
}

export function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    if (node !== undefined) found.set(node, [...(found.get(node) ?? []), pod]);
  }
  for (const list of found.values()) list.sort(oldestFirst);
  return found;
}

function manage(snapshot: DaemonSetSnapshot, node: Node, there: Pod[] | undefined, plan: DaemonPlan): void {
  const { set, hash, isGoing, now } = snapshot;
  const { run, stay } = nodeShouldRun(set, node);
  const name = node.metadata.name ?? '';
  if (there === undefined) {
    if (run) plan.create.push(name);
    return;
  }
  const staying = there.filter((pod) => !isGoing(pod));
  if (!stay) return void plan.delete.push(...staying);
  const running: Pod[] = [];
  for (const pod of staying) {
    if (pod.status?.phase === 'Failed') plan.ended.push({ pod, node: name, how: 'failed' });
    else if (pod.status?.phase === 'Succeeded') plan.ended.push({ pod, node: name, how: 'succeeded' });
    else running.push(pod);
  }
  if (surgeOf(set, 1) === 0) return void plan.delete.push(...running.slice(1));
  if (running.length === 0 && run) plan.create.push(name);
  const [oldestNew, ...otherNew] = running.filter((pod) => isUpdated(pod, set, hash));
  const [oldestOld, ...otherOld] = running.filter((pod) => !isUpdated(pod, set, hash));
  plan.delete.push(...otherNew, ...otherOld);
  if (oldestNew === undefined || oldestOld === undefined) return;
  const isReplaced = isAvailable(oldestNew, set.spec.minReadySeconds ?? 0, now);
  if (!isReady(oldestOld) || isReplaced) plan.delete.push(oldestOld);
}

function roll(snapshot: DaemonSetSnapshot, byNode: ReadonlyMap<string, Pod[]>, plan: DaemonPlan): void {
  const { set, nodes, hash, isGoing, now } = snapshot;
  const desired = nodes.filter((node) => nodeShouldRun(set, node).run).length;
  const maxSurge = surgeOf(set, desired);
  const places = [...byNode].map(([node, pods]) => {
    const staying = pods.filter((pod) => !isGoing(pod));
    const isNew = (pod: Pod) => isUpdated(pod, set, hash);
    return { node, fresh: staying.find(isNew), old: staying.find((pod) => !isNew(pod)) };
  });
  const isUp = (pod: Pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  if (maxSurge === 0) replace(places, unavailableOf(set, desired), isUp, plan);
  else surge(places, maxSurge, isUp, plan);
}

interface Place {
  node: string;
  fresh: Pod | undefined;
  old: Pod | undefined;
}

/** Deletes outdated pods that are unavailable immediately, and available ones up to maxUnavailable. */
function replace(
  places: readonly Place[],
  maxUnavailable: number,
  isUp: (pod: Pod) => boolean,
  plan: DaemonPlan,
): void {
  let unavailable = 0;
  const candidates: Pod[] = [];
  for (const { fresh, old } of places) {
    if ((fresh === undefined) === (old === undefined)) unavailable += 1;
    else if (fresh !== undefined) unavailable += isUp(fresh) ? 0 : 1;
    else if (old !== undefined && !isUp(old)) {
      plan.delete.push(old);
      unavailable += 1;
    } else if (old !== undefined) candidates.push(old);
  }
  plan.delete.push(...candidates.slice(0, Math.max(0, maxUnavailable - unavailable)));
}

/** Creates updated pods next to outdated ones: immediately where the old pod is unavailable, else up to maxSurge. */
function surge(
  places: readonly Place[],
  maxSurge: number,
  isUp: (pod: Pod) => boolean,
  plan: DaemonPlan,
): void {
  let surging = 0;
  const candidates: string[] = [];
  for (const { node, fresh, old } of places) {
    if (old === undefined) continue;
    if (fresh !== undefined) {
      if (isUp(fresh)) plan.delete.push(old);
      else surging += 1;
    } else if (!isUp(old)) plan.create.push(node);
    else candidates.push(node);
  }
  plan.create.push(...candidates.slice(0, Math.max(0, maxSurge - surging)));
}

function surgeOf({ spec }: DaemonSet, desired: number): number {
  const { type, rollingUpdate } = spec.updateStrategy;
  return type === 'RollingUpdate' ? share(rollingUpdate?.maxSurge ?? 0, desired) : 0;
}

/** At least 1: without surge, an update that may not make any pod unavailable could never start. */
function unavailableOf({ spec }: DaemonSet, desired: number): number {
  return Math.max(1, share(spec.updateStrategy.rollingUpdate?.maxUnavailable ?? 1, desired));
}

/** Percentages are rounded up. */
function share(amount: IntOrString, total: number): number {
  return typeof amount === 'number' ? amount : Math.ceil((Number.parseInt(amount, 10) * total) / 100);
}

/** Pods that are assigned to a node come before those that are not. */
function oldestFirst(a: Pod, b: Pod): number {
  const placed = Number(!a.spec.nodeName) - Number(!b.spec.nodeName);
  const ageOf = ({ metadata }: Pod) => metadata.creationTimestamp ?? '';
  return (
    placed || ageOf(a).localeCompare(ageOf(b)) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')
  );
}
