import type { Node } from '../../objects/node.ts';
import type { DaemonSet } from '../../objects/workloads.ts';
import { wantsNode } from '../scheduler/node-affinity.ts';
import { untolerated } from '../scheduler/taints.ts';
import { daemonSpec } from './daemon-pod.ts';

/** Whether a node should run a daemon pod, and whether an existing daemon pod may stay on it. */
export function nodeShouldRun({ spec }: DaemonSet, node: Node): { run: boolean; stay: boolean } {
  const wanted = daemonSpec(spec.template.spec);
  const isNamed = !wanted.nodeName || wanted.nodeName === node.metadata.name;
  if (!isNamed || !wantsNode(wanted, node)) return { run: false, stay: false };
  const taints = node.spec?.taints ?? [];
  const tolerations = wanted.tolerations ?? [];
  if (untolerated(taints, tolerations) === undefined) return { run: true, stay: true };
  const evicting = taints.filter(({ effect }) => effect === 'NoExecute');
  return { run: false, stay: untolerated(evicting, tolerations) === undefined };
}
