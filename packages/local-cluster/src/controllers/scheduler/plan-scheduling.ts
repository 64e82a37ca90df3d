import type { Pod } from '../../objects/pod.ts';
import { neighbourFilter, neighbourScore } from './neighbours.ts';
import { fullness, type Misfit, misfit, type NodeLoad } from './node-fit.ts';
import type { Labels } from './pod-affinity.ts';
import { spreadFilter, spreadPenalty } from './topology-spread.ts';

export type Placement = { node: string } | { message: string };

/**
 * Selects a node among those that fit: by pod affinity score first, then by topology spread, then by free resources.
 * When no node fits, returns kube-scheduler's message.
 */
export function planScheduling(
  pod: Pod,
  nodes: readonly NodeLoad[],
  namespaceLabels: (namespace: string) => Labels,
): Placement {
  if (nodes.length === 0) return { message: 'no nodes available to schedule pods' };
  const isTooMany = spreadFilter(pod, nodes);
  const isBadCompany = neighbourFilter(pod, nodes, namespaceLabels);
  // In the order of kube-scheduler's filter plugins: the first filter that rejects a node provides the reason.
  const looked = nodes.map((load) => ({
    load,
    found: misfit(pod.spec, load) ?? isTooMany(load) ?? isBadCompany(load),
  }));
  const fitting = looked.filter(({ found }) => found === undefined).map(({ load }) => load);
  const best = bestOf(pod, fitting, nodes, namespaceLabels);
  if (best !== undefined) return { node: best };
  return { message: messageOf(looked.flatMap(({ found }) => found ?? [])) };
}

function bestOf(
  pod: Pod,
  fitting: readonly NodeLoad[],
  nodes: readonly NodeLoad[],
  namespaceLabels: (namespace: string) => Labels,
): string | undefined {
  const score = neighbourScore(pod, nodes, namespaceLabels);
  const penalty = spreadPenalty(pod, nodes);
  const [best] = fitting
    .map((load) => ({
      name: load.node.metadata.name ?? '',
      order: [-score(load), penalty(load), fullness(pod.spec, load)],
    }))
    .sort((a, b) => compare(a.order, b.order) || (a.name < b.name ? -1 : 1));
  return best?.name;
}

/** Compares by the first number that differs. Two infinite numbers are equal. */
function compare(one: readonly number[], other: readonly number[]): number {
  const pairs = one.map((here, index): [number, number] => [here, other[index] ?? 0]);
  const [here, there] = pairs.find(([a, b]) => a !== b) ?? [0, 0];
  return here < there ? -1 : here > there ? 1 : 0;
}

function messageOf(misfits: readonly Misfit[]): string {
  const none = `0/${misfits.length} nodes are available:`;
  const why = counted(misfits.flatMap(({ reasons }) => reasons));
  const preemption = counted(
    misfits.map(({ byOthers }) =>
      byOthers ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
    ),
  );
  return `${none} ${why}. no new claims to deallocate, preemption: ${none} ${preemption}.`;
}

/** Counts equal reasons, in alphabetical order: `1 a, 2 b`. */
function counted(reasons: readonly string[]): string {
  const counts = Map.groupBy(reasons, (reason) => reason);
  return [...counts]
    .map(([reason, all]) => `${all.length} ${reason}`)
    .sort()
    .join(', ');
}
