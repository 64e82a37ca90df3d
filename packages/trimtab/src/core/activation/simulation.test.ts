import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignmentHash, assignmentOf, type ManagedReferences } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { ObservedWorkload } from '../workload/observed.ts';
import { planActivation } from './plan.ts';
import {
  type Activation,
  type Command,
  noMemory,
  type Plan,
  type WorkloadPod,
  type WorkloadState,
} from './types.ts';

/**
 * A simulated cluster. It applies the commands of a plan, starts pods (or lets them crash with content that the
 * workload does not tolerate), and drops the controller's memory whenever the story kills the controller.
 */
const foo: ConfigKey = 'ConfigMap/foo';
const bakeMs = 10;

interface Story {
  workloads: { wave: number; bearsTarget: boolean; replicas: number }[];
  /** For each reconciliation: whether the controller is killed before it, and whether its writes succeed. */
  looks: { killed: boolean; writesGetThrough: boolean }[];
}

interface Workload {
  wave: number;
  bearsTarget: boolean;
  references: ManagedReferences;
  label: string;
  record: WorkloadState['record'];
  /** The object that each pod runs with. */
  pods: string[];
  generation: number;
}

class World {
  readonly workloads: Workload[];

  constructor(story: Story) {
    this.workloads = story.workloads.map(({ wave, bearsTarget, replicas }) => ({
      wave,
      bearsTarget,
      references: new Map([[foo, 'foo-1']]),
      label: assignmentHash(new Map([[foo, 'foo-1']])),
      record: undefined,
      pods: Array.from({ length: replicas }, () => 'foo-1'),
      generation: 1,
    }));
  }

  /** Replaces one pod of each workload. A crashing pod stays, as with maxUnavailable 0. */
  step(): void {
    for (const workload of this.workloads) {
      const wanted = workload.references.get(foo) ?? '';
      const crashing = workload.pods.some((object) => object === 'foo-2' && !workload.bearsTarget);
      const old = workload.pods.findIndex((object) => object !== wanted);
      if (old !== -1 && !(crashing && wanted === 'foo-2')) workload.pods[old] = wanted;
    }
  }

  apply(command: Command): void {
    const workload = this.workloads[Number(command.workload.split('/w')[1])];
    if (workload === undefined || command.do === 'delete pod' || command.do === 'note')
      throw new Error('unexpected command');
    workload.references = command.references;
    workload.label = command.label ?? '';
    workload.record = command.record;
    workload.generation++;
  }

  states(): WorkloadState[] {
    return this.workloads.map((workload, index) => {
      const { references, label, record, wave } = workload;
      const reading = { references, originals: new Set<ConfigKey>(), mixed: false };
      const assignment = assignmentOf(reading, label);
      const pods = workload.pods.map((object, pod) => this.#pod(workload, object, `${index}-${pod}`));
      const current = new Map([[foo, 'foo-1']]);
      const observed = observe(workload, pods);
      return {
        key: `Deployment/w${index}`,
        wave,
        references,
        current,
        assignment,
        label,
        record,
        templateHash: 't',
        observed,
        pods,
      };
    });
  }

  #pod(workload: Workload, object: string, uid: string): WorkloadPod {
    const crashes = object === 'foo-2' && !workload.bearsTarget;
    return {
      name: `pod-${uid}`,
      uid: `${uid}-${object}`,
      ready: !crashes,
      terminating: false,
      references: new Map([[foo, object]]),
      containers: [{ name: 'app', restarts: crashes ? 2 : 0, hasLivenessProbe: false }],
    };
  }
}

function observe(workload: Workload, pods: WorkloadPod[]): ObservedWorkload {
  const wanted = workload.references.get(foo);
  const updated = workload.pods.filter((object) => object === wanted).length;
  const ready = pods.filter((pod) => pod.ready).length;
  const { generation } = workload;
  return {
    kind: 'Deployment',
    generation,
    observedGeneration: generation,
    desired: pods.length,
    replicas: pods.length,
    updated,
    ready,
    available: ready,
    strategy: 'RollingUpdate',
    partition: 0,
    rolledOut: updated === pods.length,
    stalled: false,
    paused: false,
  };
}

const activation = (phase: Activation['phase']): Activation => ({
  id: 'act-1',
  phase,
  members: [{ config: foo, target: { name: '1.0.1', object: 'foo-2' } }],
  rules: {
    bakeMs,
    progressDeadlineMs: 1e9,
    maxRestarts: 1,
    onFailure: 'Rollback',
    ackTimeoutMs: 30_000,
    paused: false,
  },
});

/** Runs a story to its end. As in the controller, a failure is recorded (the phase) before workloads are reverted. */
function play(story: Story): { world: World; end: Plan['outcome']['result']; waveLog: number[] } {
  const world = new World(story);
  let phase: Activation['phase'] = 'moving';
  let memory = noMemory;
  const waveLog: number[] = [];
  for (let now = 0; now < 2_000; now++) {
    const { killed, writesGetThrough } = story.looks[now] ?? { killed: false, writesGetThrough: true };
    if (killed) memory = noMemory;
    const plan = planActivation(activation(phase), world.states(), memory, now);
    memory = plan.memory;
    if (writesGetThrough) {
      for (const command of plan.commands) {
        if (command.do === 'assign')
          waveLog.push(world.workloads[Number(command.workload.split('/w')[1])]?.wave ?? 0);
        world.apply(command);
      }
      if (plan.outcome.result === 'failed') phase = 'rolling-back';
      if (plan.outcome.result === 'done' || plan.outcome.result === 'rolled back') {
        return { world, end: plan.outcome.result, waveLog };
      }
    }
    world.step();
  }
  throw new Error('the activation never ended');
}

const stories: fc.Arbitrary<Story> = fc.record({
  workloads: fc.array(
    fc.record({ wave: fc.nat(2), bearsTarget: fc.boolean(), replicas: fc.integer({ min: 1, max: 3 }) }),
    { maxLength: 4 },
  ),
  looks: fc.array(fc.record({ killed: fc.boolean(), writesGetThrough: fc.boolean() }), { maxLength: 60 }),
});

const named = ({ workloads }: World) => workloads.map(({ references }) => references.get(foo));

test('whatever is killed and whichever writes fail, all workloads end on the target, or all where they were', () => {
  fc.assert(
    fc.property(stories, (story) => {
      const { world, end } = play(story);
      const bad = story.workloads.some(({ bearsTarget }) => !bearsTarget);
      expect(end).toBe(bad ? 'rolled back' : 'done');
      expect(new Set(named(world))).toEqual(new Set(story.workloads.map(() => (bad ? 'foo-1' : 'foo-2'))));
    }),
    { numRuns: 500 },
  );
});

test('waves open in order, and after a failure no later wave was ever touched', () => {
  fc.assert(
    fc.property(stories, (story) => {
      const { waveLog } = play(story);
      const failing = story.workloads.filter(({ bearsTarget }) => !bearsTarget).map(({ wave }) => wave);
      expect(waveLog).toEqual([...waveLog].sort());
      expect(waveLog.every((wave) => wave <= Math.min(...failing, Number.POSITIVE_INFINITY))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('what is done stays done: another look at the end writes nothing', () => {
  fc.assert(
    fc.property(stories, (story) => {
      const { world, end } = play(story);
      const phase = end === 'done' ? 'moving' : 'rolling-back';
      expect(planActivation(activation(phase), world.states(), noMemory, 9_999).commands).toEqual([]);
    }),
  );
});
