import type { Node, Taint } from '../../objects/node.ts';
import type { Pod, PodSpec } from '../../objects/pod.ts';
import { hostPorts, portsConflict } from './host-ports.ts';
import { namedNodes, wantsNode } from './node-affinity.ts';
import { amountsOf, podRequests, sum } from './pod-requests.ts';
import { tolerates, untolerated } from './taints.ts';

/** A node and the pods that are running on it or assigned to it. */
export interface NodeLoad {
  node: Node;
  pods: readonly Pod[];
}

/** The reasons why a pod cannot run on a node. */
export interface Misfit {
  reasons: readonly string[];
  /** Whether the pod would fit if other pods were removed. */
  byOthers: boolean;
}

type Filter = (spec: PodSpec, load: NodeLoad) => Misfit | undefined;

const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** In the order of kube-scheduler's filter plugins: the first filter that rejects a node provides the reason. */
const filters: readonly Filter[] = [
  (spec, { node }) => {
    const named = namedNodes(spec);
    const isNamed = named === undefined || named.has(node.metadata.name ?? '');
    return isNamed ? undefined : never("node(s) didn't satisfy plugin(s) [NodeAffinity]");
  },
  ({ tolerations = [] }, { node }) =>
    node.spec?.unschedulable && !tolerations.some((each) => tolerates(each, cordon))
      ? never('node(s) were unschedulable')
      : undefined,
  ({ tolerations = [] }, { node }) =>
    untolerated(node.spec?.taints ?? [], tolerations) === undefined
      ? undefined
      : never('node(s) had untolerated taint(s)'),
  (spec, { node }) =>
    wantsNode(spec, node) ? undefined : never("node(s) didn't match Pod's node affinity/selector"),
  (spec, { pods }) => {
    const taken = pods.flatMap((each) => hostPorts(each.spec));
    const isFree = hostPorts(spec).every((port) => !taken.some((each) => portsConflict(port, each)));
    return isFree
      ? undefined
      : { reasons: ["node(s) didn't have free ports for the requested pod ports"], byOthers: true };
  },
  resources,
];

function never(reason: string): Misfit {
  return { reasons: [reason], byOthers: false };
}

export function misfit(spec: PodSpec, load: NodeLoad): Misfit | undefined {
  for (const filter of filters) {
    const found = filter(spec, load);
    if (found !== undefined) return found;
  }
  return undefined;
}

function resources(spec: PodSpec, { node, pods }: NodeLoad): Misfit | undefined {
  const has = amountsOf(node.status?.allocatable);
  const used = sum(pods.map((each) => podRequests(each.spec)));
  const reasons: string[] = [];
  let byOthers = true;
  if (pods.length + 1 > (has.get('pods') ?? 0)) reasons.push('Too many pods');
  for (const [name, wanted] of podRequests(spec)) {
    const all = has.get(name) ?? 0;
    if (wanted === 0 || wanted <= all - (used.get(name) ?? 0)) continue;
    reasons.push(`Insufficient ${name}`);
    if (wanted > all) byOthers = false;
  }
  return reasons.length === 0 ? undefined : { reasons, byOthers };
}

/** The requested share of the node with this pod, from 0 to 1 and above: the highest of CPU, memory and pod count. */
export function fullness(spec: PodSpec, { node, pods }: NodeLoad): number {
  const has = amountsOf(node.status?.allocatable);
  const used = sum([...pods.map((each) => podRequests(each.spec)), podRequests(spec)]);
  const share = (name: string) => (used.get(name) ?? 0) / (has.get(name) || Number.POSITIVE_INFINITY);
  return Math.max(share('cpu'), share('memory'), (pods.length + 1) / (has.get('pods') || 1));
}
