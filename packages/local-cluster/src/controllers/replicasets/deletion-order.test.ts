import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pod, PodPhase } from '../../objects/pod.ts';
import { podsToDelete } from './deletion-order.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();

interface Trait {
  node?: string;
  phase?: PodPhase;
  readyFor?: number;
  cost?: string;
  restarts?: number;
  sidecarRestarts?: number;
  age?: number;
  uid?: string;
}

const status = (name: string, restartCount: number) => ({
  name,
  image: 'i',
  imageID: '',
  ready: true,
  restartCount,
  state: {},
  lastState: {},
});

function pod(name: string, trait: Trait = {}): Pod {
  const { node = 'n1', phase = 'Running', cost, restarts = 0, sidecarRestarts = 0, age = 3600 } = trait;
  const { readyFor = 1800, uid = name } = trait;
  return {
    metadata: {
      name,
      uid,
      creationTimestamp: ago(age),
      ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: {
      containers: [],
      initContainers: [{ name: 'side', restartPolicy: 'Always' }, { name: 'init' }],
      ...(node !== '' && { nodeName: node }),
    },
    status: {
      phase,
      conditions: readyFor < 0 ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: ago(readyFor) }],
      containerStatuses: [status('app', restarts)],
      initContainerStatuses: [status('side', sidecarRestarts), status('init', 99)],
    },
  };
}

test.each<[string, Trait, Trait]>([
  ['has no node', { node: '', phase: 'Running' }, { phase: 'Pending', readyFor: -1 }],
  ['is pending', { phase: 'Pending' }, { phase: 'Unknown', readyFor: -1 }],
  ['is of unknown state', { phase: 'Unknown' }, { readyFor: -1 }],
  ['is not ready', { readyFor: -1, cost: '7' }, { cost: '-7' }],
  ['costs less', { cost: '-1', readyFor: 90_000 }, { readyFor: 1 }],
  ['shares its node with more of its family', { node: 'full', readyFor: 90_000 }, { readyFor: 1 }],
  ['is ready for a shorter time', { readyFor: 10, age: 90_000 }, { readyFor: 1800, restarts: 5, age: 1 }],
  ['was restarted more often', { restarts: 2, age: 90_000 }, { restarts: 1, sidecarRestarts: 9, age: 1 }],
  ['has a sidecar that was', { sidecarRestarts: 2, age: 90_000 }, { sidecarRestarts: 1, age: 1 }],
  ['is younger', { age: 10 }, { age: 3600 }],
  ['is of about the same age, by its UID', { age: 3500, uid: 'a' }, { age: 3400, uid: 'b' }],
])('of two pods, the one that %s goes first', (_, first, second) => {
  const [a, b] = [pod('first', first), pod('second', second)];
  const family = [a, b, pod('third', { node: 'full' }), pod('fourth', { node: 'full' })];
  expect(podsToDelete([b, a], family, 1, now)).toEqual([a]);
  expect(podsToDelete([a, b], family, 1, now)).toEqual([a]);
});

test('a cost that is no number counts as none', () => {
  const [cheap, odd] = [pod('cheap', { cost: '-1' }), pod('odd', { cost: 'much' })];
  expect(podsToDelete([odd, cheap], [], 1, now)).toEqual([cheap]);
});

test('family members that have ended or go do not crowd a node', () => {
  const a = pod('a', { node: 'n1', age: 10 });
  const b = pod('b', { node: 'n2' });
  const ended = [1, 2, 3].map((each) => pod(`ended${each}`, { node: 'n2', phase: 'Failed' }));
  expect(podsToDelete([a, b], [a, b, ...ended], 1, now)).toEqual([a]);
});

test('exactly as many go as are asked for, and none that could stay while one without a node is there', () => {
  const trait = fc.record({
    node: fc.constantFrom('', 'n1', 'n2'),
    phase: fc.constantFrom<PodPhase>('Pending', 'Running', 'Unknown'),
    readyFor: fc.integer({ min: -1, max: 100 }),
    age: fc.integer({ min: 0, max: 100 }),
  });
  fc.assert(
    fc.property(fc.array(trait, { maxLength: 12 }), fc.nat(14), (traits, count) => {
      const pods = traits.map((each, index) => pod(`p${index}`, each));
      const gone = podsToDelete(pods, pods, count, now);
      expect(new Set(gone).size).toBe(Math.min(count, pods.length));
      const stays = pods.filter((each) => !gone.includes(each));
      if (gone.some(({ spec }) => spec.nodeName !== undefined))
        expect(stays.filter(({ spec }) => spec.nodeName === undefined)).toEqual([]);
    }),
  );
});
