import { once, type Target } from '../api/target.ts';

interface NodeWishes {
  labels?: Record<string, string>;
  taints?: { key: string; value?: string; effect: string }[];
  allocatable?: Record<string, string>;
  unschedulable?: boolean;
}

/** Nobody runs this node, and nobody heartbeats it: whoever should run on it tolerates that. */
export const tolerations = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists' },
  { key: 'test.dev/area', operator: 'Exists' },
];

/** Makes a node on which nobody else's pods land, with a label that only it has; answers its name. */
export async function makeNode(
  target: Target,
  suffix: string,
  { labels = {}, taints = [], allocatable = {}, unschedulable = false }: NodeWishes = {},
): Promise<string> {
  const name = `${suffix}-${target.namespace}`;
  const own = { key: 'test.dev/area', value: target.namespace, effect: 'NoSchedule' };
  const room = { cpu: '4', memory: '8Gi', pods: '10', ...allocatable };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: 'made by a test' }];
  // All in one, as kubelets do it: a scheduler may judge a node by any state that it ever had.
  await target.createForAll('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'test.dev/node': name, ...labels } },
    spec: { taints: [own, ...taints], ...(unschedulable && { unschedulable }) },
    status: { capacity: room, allocatable: room, conditions },
  } as { metadata: { name: string } });
  return name;
}

/** One for the whole area. */
export const areaNode = once((target) => makeNode(target, 'shared', { allocatable: { pods: '500' } }));
