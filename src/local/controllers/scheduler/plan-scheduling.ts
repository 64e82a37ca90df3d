import type { PodSpec } from '../../objects/pod.ts';
import { fullness, type Misfit, misfit, type NodeLoad } from './node-fit.ts';

export type Placement = { node: string } | { message: string };

/** The emptiest node that fits, or why none does, in the words that people search for. */
export function planScheduling(spec: PodSpec, nodes: readonly NodeLoad[]): Placement {
  if (nodes.length === 0) return { message: 'no nodes available to schedule pods' };
  const looked = nodes.map((load) => ({ load, found: misfit(spec, load) }));
  const fitting = looked.filter(({ found }) => found === undefined);
  const [best] = fitting
    .map(({ load }) => ({ name: load.node.metadata.name ?? '', full: fullness(spec, load) }))
    .sort((a, b) => a.full - b.full || (a.name < b.name ? -1 : 1));
  if (best !== undefined) return { node: best.name };
  return { message: messageOf(looked.flatMap(({ found }) => found ?? [])) };
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

/** `1 a, 2 b`, by the alphabet. */
function counted(reasons: readonly string[]): string {
  const counts = Map.groupBy(reasons, (reason) => reason);
  return [...counts]
    .map(([reason, all]) => `${all.length} ${reason}`)
    .sort()
    .join(', ');
}
