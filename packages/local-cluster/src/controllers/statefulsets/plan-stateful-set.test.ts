import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pod, PodPhase } from '../../objects/pod.ts';
import type { StatefulSet } from '../../objects/workloads.ts';
import { planStatefulSet } from './plan-stateful-set.ts';

type Strategy = StatefulSet['spec']['updateStrategy'];

function set(replicas: number, spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  return {
    metadata: { name: 'db' },
    spec: {
      replicas,
      selector: {},
      template: { spec: { containers: [] } },
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate' },
      revisionHistoryLimit: 10,
      ...spec,
    },
  };
}

interface Trait {
  old?: boolean;
  ready?: boolean;
  going?: boolean;
  phase?: PodPhase;
}

function pod(ordinal: number, { old, ready = true, going, phase = 'Running' }: Trait = {}): Pod {
  return {
    metadata: {
      name: `db-${ordinal}`,
      uid: `u${ordinal}`,
      labels: { 'controller-revision-hash': old ? 'db-old' : 'db-new' },
      ...(going && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: { containers: [] },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    },
  };
}

const plan = (of: StatefulSet, pods: Pod[]) =>
  planStatefulSet({
    set: of,
    pods,
    updateRevision: 'db-new',
    isGoing: ({ metadata }) => metadata.deletionTimestamp !== undefined,
    now: Date.parse('2026-01-01T01:00:00Z'),
  }).map((step) =>
    step.do === 'create' ? `+${step.ordinal} ${step.of}` : `-${step.pod.metadata.name} ${step.because}`,
  );

const rows = (...old: Trait[]) => old.map((trait, index) => pod(index, trait));
const parallel = { podManagementPolicy: 'Parallel' } as const;
const partitioned: Strategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };

describe('a StatefulSet', () => {
  test.each<[string, StatefulSet, Pod[], string[]]>([
    ['makes its first pod', set(3), [], ['+0 update']],
    ['waits for it before the next', set(3), [pod(0, { ready: false })], []],
    ['makes the next when it is ready', set(3), [pod(0)], ['+1 update']],
    ['in parallel makes all at once', set(3, parallel), [], ['+0 update', '+1 update', '+2 update']],
    ['fills a gap', set(3), [pod(0), pod(2)], ['+1 update']],
    ['begins where it is told to', set(2, { ordinals: { start: 5 } }), [], ['+5 update']],
    ['makes a pod that ended anew', set(1), [pod(0, { phase: 'Failed', ready: false })], ['-db-0 ended']],
    ['waits until it is gone', set(1), [pod(0, { phase: 'Failed', going: true })], []],
    ['scales down from the end, one by one', set(1), rows({}, {}, {}), ['-db-2 scaled down']],
    ['waits for the one that goes', set(1), rows({}, {}, { going: true }), []],
    [
      'in parallel scales down at once',
      set(1, parallel),
      rows({}, {}, {}),
      ['-db-2 scaled down', '-db-1 scaled down'],
    ],
    ['scales down the first that is not well', set(1), rows({}, {}, { ready: false }), ['-db-2 scaled down']],
    [
      'waits with the last while one before it is not well',
      set(1),
      rows({}, { ready: false }, { ready: false }),
      [],
    ],
    ['updates from the end', set(2), rows({ old: true }, { old: true }), ['-db-1 outdated']],
    ['goes on when the new one is ready', set(2), rows({ old: true }, {}), ['-db-0 outdated']],
    ['waits for a new one that is not ready', set(2), rows({ old: true }, { ready: false }), []],
    [
      'in order, waits for a broken one even if it is of an old revision',
      set(2),
      rows({}, { old: true, ready: false }),
      [],
    ],
    [
      'in parallel, replaces a broken one of an old revision',
      set(2, parallel),
      rows({}, { old: true, ready: false }),
      ['-db-1 outdated'],
    ],
    [
      'leaves those below the partition',
      set(2, { updateStrategy: partitioned }),
      rows({ old: true }, {}),
      [],
    ],
    [
      'makes those below the partition as they were',
      set(2, { updateStrategy: partitioned }),
      [pod(1)],
      ['+0 current'],
    ],
    [
      'updates on deletion only, when it is told so',
      set(1, { updateStrategy: { type: 'OnDelete' } }),
      rows({ old: true }),
      [],
    ],
    ['that is scaled to nothing deletes the last', set(0), rows({}), ['-db-0 scaled down']],
    ['ignores pods that have no place', set(1), [pod(0), { ...pod(0), metadata: { name: 'db-x' } }], []],
  ])('%s', (_, of, pods, steps) => {
    expect(plan(of, pods)).toEqual(steps);
  });

  test('that is deleted does nothing', () => {
    const going = set(3);
    going.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(plan(going, [pod(0, { old: true })])).toEqual([]);
  });

  test('with time to be ready waits for it', () => {
    const slow = set(2, { minReadySeconds: 7200 });
    expect(plan(slow, [pod(0)])).toEqual([]);
  });

  test('comes to its end from wherever it is, one pod missing at most', () => {
    const trait = fc.record({ old: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), fc.array(trait, { maxLength: 6 }), (replicas, traits) => {
        const of = set(replicas);
        let pods = traits.map((each, index) => pod(index, each));
        for (let round = 0; round < 30; round += 1) {
          const steps = planStatefulSet({
            set: of,
            pods,
            updateRevision: 'db-new',
            isGoing: () => false,
            now: Date.parse('2026-01-01T01:00:00Z'),
          });
          if (steps.length === 0) break;
          expect(steps).toHaveLength(1);
          for (const step of steps)
            pods =
              step.do === 'create' ? [...pods, pod(step.ordinal)] : pods.filter((each) => each !== step.pod);
        }
        const names = pods.map(({ metadata }) => metadata.name).sort();
        expect(names).toEqual(Array.from({ length: replicas }, (_, index) => `db-${index}`));
        expect(
          new Set(pods.map(({ metadata }) => metadata.labels?.['controller-revision-hash'])).has('db-old'),
        ).toBe(false);
      }),
    );
  });
});
