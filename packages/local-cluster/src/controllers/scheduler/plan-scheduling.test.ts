import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Node } from '../../objects/node.ts';
import type { Pod, PodSpec } from '../../objects/pod.ts';
import type { NodeLoad } from './node-fit.ts';
import { planScheduling } from './plan-scheduling.ts';
import { podRequests } from './pod-requests.ts';

const node = (name: string, more: Pick<Node, 'spec' | 'status'> = {}): Node => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu: '32', memory: '256Gi', pods: '250' } },
  ...more,
});
const spec = (requests: Record<string, string> = {}, more: Partial<PodSpec> = {}): PodSpec => ({
  containers: [{ name: 'a', resources: { requests } }],
  ...more,
});
const pod = (of: PodSpec): Pod => ({ metadata: { name: 'p' }, spec: of });
const noLabels = () => ({});
const two: NodeLoad[] = ['kwok-node-0', 'kwok-node-1'].map((name) => ({ node: node(name), pods: [] }));
const busy: NodeLoad[] = two.map((each) => ({ ...each, pods: [pod(spec({ cpu: '20' }))] }));
const listening: PodSpec = {
  containers: [{ name: 'a', ports: [{ containerPort: 80, hostPort: 8080 }] }],
};
const affine = (term: object): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
  },
});
const closed: NodeLoad[] = [
  {
    node: node('kwok-node-0', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } }),
    pods: [],
  },
  { node: node('kwok-node-1', { spec: { unschedulable: true } }), pods: [] },
];

describe('a pod that fits nowhere hears why, as kube-scheduler 1.36 says it', () => {
  const tail = 'no new claims to deallocate, preemption: 0/2 nodes are available:';
  const never = `${tail} 2 Preemption is not helpful for scheduling.`;
  test.each<[string, PodSpec, NodeLoad[], string]>([
    ['no node at all', spec(), [], 'no nodes available to schedule pods'],
    [
      'a selector',
      spec({}, { nodeSelector: { no: 'where' } }),
      two,
      `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ${never}`,
    ],
    [
      'an affinity',
      spec({}, affine({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] })),
      two,
      `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ${never}`,
    ],
    [
      'an affinity that says nothing',
      spec({}, affine({})),
      two,
      `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ${never}`,
    ],
    [
      'a node that is not there',
      spec({}, affine({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['nope'] }] })),
      two,
      `0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${never}`,
    ],
    [
      'too much of two things',
      spec({ cpu: '1000', memory: '100Ti' }),
      two,
      `0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory. ${never}`,
    ],
    [
      'a resource nobody has',
      spec({ 'example.com/gpu': '1' }),
      two,
      `0/2 nodes are available: 2 Insufficient example.com/gpu. ${never}`,
    ],
    [
      'others are there',
      spec({ cpu: '20' }),
      busy,
      `0/2 nodes are available: 2 Insufficient cpu. ${tail} 2 No preemption victims found for incoming pod.`,
    ],
    [
      'a taint and a cordon',
      spec({ cpu: '1000' }),
      closed,
      `0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${never}`,
    ],
    [
      'a port that is taken',
      { ...listening, nodeSelector: { 'kubernetes.io/hostname': 'kwok-node-0' } },
      [{ node: node('kwok-node-0'), pods: [pod(listening)] }, ...two.slice(1)],
      `0/2 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, 1 node(s) didn't match Pod's node affinity/selector. ${tail} 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.`,
    ],
  ])('%s', (_, wanted, nodes, message) => {
    expect(planScheduling(pod(wanted), nodes, noLabels)).toEqual({ message });
  });
});

test.each<[string, PodSpec, NodeLoad[], string]>([
  ['the emptiest node is taken', spec({ cpu: '1' }), [...busy.slice(0, 1), ...two.slice(1)], 'kwok-node-1'],
  ['a tie goes by name', spec({ cpu: '1' }), two.toReversed(), 'kwok-node-0'],
  [
    'who tolerates everything may go anywhere',
    spec(
      {},
      { tolerations: [{ operator: 'Exists' }], nodeSelector: { 'kubernetes.io/hostname': 'kwok-node-1' } },
    ),
    closed,
    'kwok-node-1',
  ],
  ['a quantity of a thousandth is one', spec({ cpu: '32' }), two, 'kwok-node-0'],
])('%s', (_, wanted, nodes, name) => {
  expect(planScheduling(pod(wanted), nodes, noLabels)).toEqual({ node: name });
});

test('whatever comes, no node promises more than it has', () => {
  const request = fc.record({ cpu: fc.nat(2_000), memory: fc.nat(600), sidecar: fc.boolean() });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 40 }), (requests) => {
      const allocatable = { cpu: '4', memory: '1Gi', pods: '6' };
      const loads = ['a', 'b'].map((name) => ({
        node: node(name, { status: { allocatable } }),
        pods: [] as Pod[],
      }));
      for (const { cpu, memory, sidecar } of requests) {
        const asked = { name: 'x', resources: { requests: { cpu: `${cpu}m`, memory: `${memory}Mi` } } };
        const wanted: PodSpec = sidecar
          ? { containers: [{ name: 'a' }], initContainers: [{ ...asked, restartPolicy: 'Always' }] }
          : { containers: [asked] };
        const placement = planScheduling(pod(wanted), loads, noLabels);
        if ('node' in placement)
          loads.find((each) => each.node.metadata.name === placement.node)?.pods.push(pod(wanted));
      }
      for (const { pods } of loads) {
        const total = (name: string) =>
          pods.reduce((all, each) => all + (podRequests(each.spec).get(name) ?? 0), 0);
        expect(pods.length).toBeLessThanOrEqual(6);
        expect(total('cpu')).toBeLessThanOrEqual(4_000);
        expect(total('memory')).toBeLessThanOrEqual(2 ** 30);
      }
    }),
  );
});

test.each<[string, Partial<PodSpec>, number]>([
  ['containers together', { containers: [ask('100m'), ask('0.2')] }, 300],
  [
    'the largest step of the start',
    { containers: [ask('100m')], initContainers: [ask('1'), ask('900m')] },
    1000,
  ],
  ['sidecars beside the containers', { containers: [ask('100m')], initContainers: [sidecar('50m')] }, 150],
  [
    'a step beside the sidecars before it',
    { containers: [ask('100m')], initContainers: [sidecar('500m'), ask('1')] },
    1500,
  ],
  [
    'a step before the sidecars alone',
    { containers: [ask('100m')], initContainers: [ask('1'), sidecar('500m')] },
    1000,
  ],
  [
    'the pod as a whole, where it says so',
    { containers: [ask('1')], resources: { requests: { cpu: '2' } } },
    2000,
  ],
  ['and what running it costs', { containers: [ask('1')], overhead: { cpu: '250m' } }, 1250],
  ['nothing', { containers: [{ name: 'a' }] }, 0],
])('what a pod asks for: %s', (_, of, cpu) => {
  expect(podRequests({ containers: [], ...of }).get('cpu') ?? 0).toBe(cpu);
});

function ask(cpu: string) {
  return { name: 'a', resources: { requests: { cpu } } };
}

function sidecar(cpu: string) {
  return { ...ask(cpu), restartPolicy: 'Always' };
}
