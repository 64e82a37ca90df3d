import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Node, Taint } from '../../objects/node.ts';
import type { Pod, PodPhase, PodSpec } from '../../objects/pod.ts';
import type { DaemonSet } from '../../objects/workloads.ts';
import { planDaemonSet } from './plan-daemon-set.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
type Limits = NonNullable<DaemonSet['spec']['updateStrategy']['rollingUpdate']>;

function set(
  rollingUpdate: Limits | 'OnDelete' = { maxUnavailable: 1 },
  spec: Partial<PodSpec> = {},
): DaemonSet {
  return {
    metadata: { name: 'agent' },
    spec: {
      selector: {},
      template: { spec: { containers: [], ...spec } },
      updateStrategy:
        rollingUpdate === 'OnDelete' ? { type: 'OnDelete' } : { type: 'RollingUpdate', rollingUpdate },
      revisionHistoryLimit: 10,
    },
  };
}

const node = (name: string, taints: Taint[] = []): Node => ({
  metadata: { name, labels: { name } },
  spec: { taints },
});
const three = [node('a'), node('b'), node('c')];

interface Trait {
  old?: boolean;
  ready?: boolean;
  going?: boolean;
  phase?: PodPhase;
  name?: string;
}

function pod(
  on: string,
  { old, ready = true, going, phase = 'Running', name = `on-${on}` }: Trait = {},
): Pod {
  return {
    metadata: {
      name,
      labels: { 'controller-revision-hash': old ? 'old' : 'new' },
      ...(going && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: { containers: [], nodeName: on },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    },
  };
}

function plan(of: DaemonSet, pods: Pod[], nodes = three): string[] {
  const isGoing = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
  const found = planDaemonSet({ set: of, nodes, pods, hash: 'new', isGoing, now });
  return [
    ...found.create.map((name) => `+${name}`),
    ...found.delete.map(({ metadata }) => `-${metadata.name}`),
    ...found.ended.map((each) => `${each.how} ${each.pod.metadata.name}`),
  ];
}

const all = (trait: Trait = {}) => ['a', 'b', 'c'].map((name) => pod(name, trait));
const tainted = [
  node('a', [{ key: 'gpu', effect: 'NoSchedule' }]),
  node('b', [{ key: 'off', effect: 'NoExecute' }]),
];

describe('a DaemonSet', () => {
  test.each<[string, DaemonSet, Pod[], Node[], string[]]>([
    ['puts a pod on each node', set(), [], three, ['+a', '+b', '+c']],
    ['only where its selector leads', set({}, { nodeSelector: { name: 'b' } }), [], three, ['+b']],
    ['not where a taint keeps it off', set(), [], tainted, []],
    [
      'there too, when it tolerates that',
      set({}, { tolerations: [{ operator: 'Exists' }] }),
      [],
      tainted,
      ['+a', '+b'],
    ],
    [
      'stays where new ones may not come, and leaves where none may be',
      set(),
      [pod('a'), pod('b')],
      tainted,
      ['-on-b'],
    ],
    [
      'on nodes that are in trouble',
      set(),
      [],
      [node('a', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }])],
      ['+a'],
    ],
    ['waits for a pod that goes', set(), [pod('a', { going: true })], [node('a')], []],
    [
      'leaves where its selector leads no more',
      set({}, { nodeSelector: { name: 'b' } }),
      all(),
      three,
      ['-on-a', '-on-c'],
    ],
    [
      'keeps the older of two',
      set(),
      [pod('a', { name: 'x' }), pod('a', { name: 'y' })],
      [node('a')],
      ['-y'],
    ],
    ['makes a pod that ended anew', set(), [pod('a', { phase: 'Failed' })], [node('a')], ['failed on-a']],
    ['updates one by one', set(), all({ old: true }), three, ['-on-a']],
    [
      'updates as many at a time as may be missing',
      set({ maxUnavailable: '50%' }),
      all({ old: true }),
      three,
      ['-on-a', '-on-b'],
    ],
    [
      'waits for a new one that is not ready',
      set(),
      [pod('a', { ready: false }), pod('b', { old: true }), pod('c', { old: true })],
      three,
      [],
    ],
    [
      'replaces old ones that do not work at once',
      set(),
      [pod('a', { old: true, ready: false }), pod('b', { old: true, ready: false }), pod('c', { old: true })],
      three,
      ['-on-a', '-on-b'],
    ],
    ['does not update when it is told so', set('OnDelete'), all({ old: true }), three, []],
    ['surges', set({ maxSurge: 1, maxUnavailable: 0 }), all({ old: true }), three, ['+a']],
    [
      'surging, waits for the new one',
      set({ maxSurge: 1, maxUnavailable: 0 }),
      [...all({ old: true }), pod('a', { ready: false, name: 'new-a' })],
      three,
      [],
    ],
    [
      'surging, takes the old one away when the new one is up',
      set({ maxSurge: 1, maxUnavailable: 0 }),
      [...all({ old: true }), pod('a', { name: 'new-a' })],
      three,
      ['-on-a'],
    ],
  ])('%s', (_, of, pods, nodes, steps) => {
    expect(plan(of, pods, nodes)).toEqual(steps);
  });

  test('comes to its end from wherever it is, within its limits', () => {
    const limits = fc.oneof(
      fc.record({ maxUnavailable: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ maxSurge: fc.integer({ min: 1, max: 3 }), maxUnavailable: fc.constant(0) }),
    );
    const traits = fc.array(fc.record({ old: fc.boolean() }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(limits, traits, (rollingUpdate, each) => {
        const nodes = each.map((_, index) => node(`n${index}`));
        let pods = each.map((trait, index) => pod(`n${index}`, { ...trait, name: `first-${index}` }));
        const most = 'maxSurge' in rollingUpdate ? rollingUpdate.maxSurge : 0;
        for (let round = 0; round < 40; round += 1) {
          const found = planDaemonSet({
            set: set(rollingUpdate),
            nodes,
            pods,
            hash: 'new',
            isGoing: () => false,
            now,
          });
          if (found.create.length + found.delete.length === 0) break;
          pods = pods.filter((one) => !found.delete.includes(one));
          expect(pods.length).toBeGreaterThanOrEqual(nodes.length - (rollingUpdate.maxUnavailable ?? 0));
          pods = [...pods, ...found.create.map((name) => pod(name, { name: `${name}-${round}` }))];
          expect(pods.length).toBeLessThanOrEqual(nodes.length + most);
        }
        expect(pods.map(({ spec }) => spec.nodeName).sort()).toEqual(
          nodes.map(({ metadata }) => metadata.name),
        );
        expect(pods.every(({ metadata }) => metadata.labels?.['controller-revision-hash'] === 'new')).toBe(
          true,
        );
      }),
    );
  });
});
