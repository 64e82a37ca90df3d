import { once, type Target } from '../api/target.ts';

interface NodeWishes {
  labels?: Record<string, string>;
  taints?: { key: string; value?: string; effect: string }[];
  allocatable?: Record<string, string>;
  unschedulable?: boolean;
}

/** The nodes have no kubelet and no heartbeat, so pods that should run on them need these tolerations. */
export const tolerations = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists' },
  { key: 'test.dev/area', operator: 'Exists' },
];

/** Creates a node with a unique label and a taint that keeps other pods away. Returns its name. */
export async function makeNode(
  target: Target,
  suffix: string,
  { labels = {}, taints = [], allocatable = {}, unschedulable = false }: NodeWishes = {},
): Promise<string> {
  const name = `${suffix}-${target.namespace}`;
  const own = { key: 'test.dev/area', value: target.namespace, effect: 'NoSchedule' };
  const room = { cpu: '4', memory: '8Gi', pods: '10', ...allocatable };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: 'made by a test' }];
  // Created in one request, as by a kubelet, because a scheduler may act on any intermediate state of a node.
  await target.createForAll('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'test.dev/node': name, ...labels } },
    spec: { taints: [own, ...taints], ...(unschedulable && { unschedulable }) },
    status: { capacity: room, allocatable: room, conditions },
  } as { metadata: { name: string } });
  return name;
}

/** A node shared by all cases of an area. */
export const areaNode = once((target) => makeNode(target, 'shared', { allocatable: { pods: '500' } }));
