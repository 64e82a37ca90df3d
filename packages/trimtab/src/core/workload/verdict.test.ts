import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObservedContainer, ObservedPod, ObservedWorkload } from './observed.ts';
import { type HealthMemory, judge, type Verdict, type WorkloadObservation } from './verdict.ts';

const deadlineMs = 600_000;

const workload = (mods: Partial<ObservedWorkload> = {}): ObservedWorkload => ({
  kind: 'Deployment',
  generation: 2,
  observedGeneration: 2,
  desired: 3,
  replicas: 4,
  updated: 1,
  ready: 3,
  available: 3,
  strategy: 'RollingUpdate',
  partition: 0,
  rolledOut: false,
  stalled: false,
  paused: false,
  ...mods,
});

const container = (mods: Partial<ObservedContainer> = {}): ObservedContainer => ({
  name: 'app',
  restarts: 0,
  hasLivenessProbe: false,
  ...mods,
});

const pod = (mods: Partial<ObservedPod> = {}, ...containers: Partial<ObservedContainer>[]): ObservedPod => ({
  name: 'web-1',
  uid: 'uid-1',
  ready: false,
  terminating: false,
  containers: (containers.length === 0 ? [{}] : containers).map(container),
  ...mods,
});

const observation = (mods: Partial<WorkloadObservation> = {}): WorkloadObservation => ({
  workload: workload(),
  newPods: [],
  failingBefore: new Set(),
  seenHealthy: true,
  wantedPods: true,
  parked: false,
  templateChangedToo: false,
  maxRestarts: 1,
  progressDeadlineMs: deadlineMs,
  ...mods,
});

const first = (mods: Partial<WorkloadObservation>): Verdict => judge(observation(mods), undefined, 0).verdict;

/** The verdict on the same observation after the deadline has passed. */
function atDeadline(mods: Partial<WorkloadObservation>): Verdict {
  const { memory } = judge(observation(mods), undefined, 0);
  return judge(observation(mods), memory, deadlineMs).verdict;
}

describe('fails at once', () => {
  const exit3 = { exitCode: 3, reason: 'Error', message: 'bad port' };

  test('at the second crash, with exit code and message', () => {
    const newPods = [pod({}, { restarts: 1, terminated: exit3, lastTerminated: exit3 })];
    expect(first({ newPods })).toEqual({
      state: 'failed',
      problem: { reason: 'Restarted', pod: 'web-1', container: 'app', exitCode: 3, message: 'bad port' },
    });
  });

  test.each([
    ['CrashLoopBackOff', { restarts: 1, waiting: { reason: 'CrashLoopBackOff' }, lastTerminated: exit3 }],
    ['CreateContainerConfigError', { waiting: { reason: 'CreateContainerConfigError', message: 'no key' } }],
    [
      'LivenessProbeFailed',
      { restarts: 1, hasLivenessProbe: true, lastTerminated: { exitCode: 137, reason: 'Error' } },
    ],
    ['Restarted', { restarts: 2 }],
  ])('%s', (reason, state) => {
    expect(first({ newPods: [pod({}, state)] })).toMatchObject({ state: 'failed', problem: { reason } });
  });

  test('an init container that crashes counts as well', () => {
    const newPods = [pod({}, { name: 'migrate', restarts: 2, lastTerminated: exit3 }, {})];
    expect(first({ newPods })).toMatchObject({
      state: 'failed',
      problem: { container: 'migrate', exitCode: 3 },
    });
  });

  test('a pod that was Ready and then no longer', () => {
    const { memory } = judge(observation({ newPods: [pod({ ready: true })] }), undefined, 0);
    const { verdict } = judge(observation({ newPods: [pod()] }), memory, 1);
    expect(verdict).toMatchObject({ state: 'failed', problem: { reason: 'ReadyLost' } });
  });
});

describe('is not a failure yet', () => {
  test.each([
    ['one restart', pod({}, { restarts: 1, lastTerminated: { exitCode: 1 } })],
    ['the first crash', pod({}, { terminated: { exitCode: 1 } })],
    [
      'an init container that is through',
      pod({}, { name: 'migrate', terminated: { exitCode: 0 }, restarts: 1 }),
    ],
    [
      'a kill for memory, once',
      pod(
        {},
        { restarts: 1, hasLivenessProbe: true, lastTerminated: { exitCode: 137, reason: 'OOMKilled' } },
      ),
    ],
    ['a pod that is being deleted', pod({ terminating: true }, { restarts: 5 })],
    ['a slow starter', pod()],
  ])('%s', (_, newPod) => {
    expect(first({ newPods: [newPod] })).toEqual({ state: 'progressing' });
  });

  test('a pod that was Ready and is being deleted', () => {
    const { memory } = judge(observation({ newPods: [pod({ ready: true })] }), undefined, 0);
    expect(judge(observation({ newPods: [pod({ terminating: true })] }), memory, 1).verdict.state).toBe(
      'progressing',
    );
  });

  test.each([
    ['crashed for the first time', { terminated: { exitCode: 3 } }],
    ['was started again after that', { restarts: 1, lastTerminated: { exitCode: 3 } }],
  ])('a pod that was Ready, since without a probe every pod is, and %s', (_, state) => {
    const { memory } = judge(observation({ newPods: [pod({ ready: true })] }), undefined, 0);
    expect(judge(observation({ newPods: [pod({}, state)] }), memory, 1).verdict.state).toBe('progressing');
  });

  test('a pod that was Ready on a node that went away', () => {
    const { memory } = judge(observation({ newPods: [pod({ ready: true })] }), undefined, 0);
    const { verdict } = judge(
      observation({ newPods: [pod({ nodeProblem: 'node unreachable' })] }),
      memory,
      1,
    );
    expect(verdict.state).toBe('progressing');
  });
});

describe('at the deadline', () => {
  test('a pod that never got Ready fails', () => {
    expect(atDeadline({ newPods: [pod()] })).toMatchObject({
      state: 'failed',
      problem: { reason: 'ProgressDeadlineExceeded', pod: 'web-1', message: 'not Ready within 600 s' },
    });
  });

  test.each<[string, Partial<WorkloadObservation>]>([
    ['Unschedulable', { newPods: [pod({ unschedulable: '0/1 nodes' })] }],
    ['ImagePullBackOff', { newPods: [pod({}, { waiting: { reason: 'ImagePullBackOff' } })] }],
    ['NodeLost', { newPods: [pod({ nodeProblem: 'gone' })] }],
    ['FailedCreate', { workload: workload({ createFailure: 'exceeded quota' }) }],
    ['NoProgress', {}],
  ])('%s is not blamed on the content', (reason, mods) => {
    expect(atDeadline(mods)).toMatchObject({ state: 'inconclusive', problem: { reason } });
  });

  test.each<[string, Partial<WorkloadObservation>]>([
    ['a node took it', { newPods: [pod({ unschedulable: 'no room' })] }],
    ['its image was pulled', { newPods: [pod({}, { waiting: { reason: 'ImagePullBackOff' } })] }],
    ['the quota was raised', { workload: workload({ createFailure: 'exceeded quota' }) }],
  ])('a pod that could not start has the whole time once %s', (_, excused) => {
    const before = judge(observation(excused), judge(observation(excused), undefined, 0).memory, deadlineMs);
    expect(before.verdict.state).toBe('inconclusive');
    const started = observation({ newPods: [pod()] });
    const after = judge(started, before.memory, deadlineMs + 1);
    expect(after.verdict).toEqual({ state: 'progressing' });
    expect(judge(started, after.memory, 2 * deadlineMs + 1).verdict.state).toBe('failed');
  });

  test('progress in between gives it the whole time again', () => {
    const { memory } = judge(observation(), undefined, 0);
    const later = judge(observation({ workload: workload({ updated: 2 }) }), memory, deadlineMs - 1);
    expect(
      judge(observation({ workload: workload({ updated: 2 }) }), later.memory, deadlineMs).verdict.state,
    ).toBe('progressing');
  });

  test('a workload that is scaled up again has the whole time, also before its controller has counted the pod', () => {
    const zero = { replicas: 0, updated: 0, ready: 0, available: 0 };
    const parked = observation({ workload: workload({ ...zero, desired: 0 }), parked: true });
    const { memory } = judge(parked, undefined, 0);
    const scaled = observation({ workload: workload({ ...zero, desired: 1, generation: 3 }), parked: true });
    const observed = judge(scaled, memory, 2 * deadlineMs);
    expect(observed.verdict.state).toBe('progressing');
    const created = judge({ ...scaled, newPods: [pod()] }, observed.memory, 3 * deadlineMs - 1);
    expect(created.verdict.state).toBe('progressing');
    expect(judge({ ...scaled, newPods: [pod()] }, created.memory, 3 * deadlineMs).verdict.state).toBe(
      'progressing',
    );
  });

  test.each<[string, Partial<ObservedWorkload>, string]>([
    ['a StatefulSet with OnDelete', { kind: 'StatefulSet', strategy: 'OnDelete' }, 'delete'],
    ['a DaemonSet with OnDelete', { kind: 'DaemonSet', strategy: 'OnDelete' }, 'delete'],
    ['a paused Deployment', { paused: true }, 'resume'],
    ['a StatefulSet with a partition above its size', { kind: 'StatefulSet', partition: 5 }, 'partition'],
  ])('%s just waits', (_, mods, waitsFor) => {
    expect(atDeadline({ workload: workload(mods) })).toEqual({ state: 'waiting', for: waitsFor });
  });
});

test('a failure is inconclusive when the template changed in other ways, too', () => {
  const newPods = [pod({}, { restarts: 2, lastTerminated: { exitCode: 1, message: 'boom' } })];
  expect(first({ newPods, templateChangedToo: true })).toMatchObject({
    state: 'inconclusive',
    problem: { reason: 'TemplateChangedToo', message: 'Restarted: boom' },
  });
});

describe('a workload is healthy when kubectl rollout status would end', () => {
  const done = { replicas: 3, updated: 3, ready: 3, available: 3, rolledOut: true };
  test.each<[string, Partial<ObservedWorkload>]>([
    ['a Deployment', {}],
    ['a DaemonSet', { kind: 'DaemonSet' }],
    ['a StatefulSet', { kind: 'StatefulSet' }],
    ['a StatefulSet with a partition', { kind: 'StatefulSet', partition: 2, updated: 1, rolledOut: false }],
    [
      'a StatefulSet with OnDelete, when all pods were deleted',
      { kind: 'StatefulSet', strategy: 'OnDelete', rolledOut: false },
    ],
  ])('%s', (_, mods) => {
    const newPods = [pod({ ready: true })];
    expect(first({ workload: workload({ ...done, ...mods }), newPods })).toEqual({ state: 'healthy' });
  });

  test('but not before one of its new pods was seen Ready', () => {
    expect(first({ workload: workload(done) })).toEqual({ state: 'progressing' });
    expect(first({ workload: workload(done), newPods: [pod({ ready: true, terminating: true })] })).toEqual({
      state: 'progressing',
    });
  });

  test.each<[string, Partial<ObservedWorkload>]>([
    ['its controller has not seen the template', { observedGeneration: 1 }],
    ['an old pod is left', { replicas: 4 }],
    ['a new pod is not available', { available: 2 }],
    ['a DaemonSet pod is missing', { kind: 'DaemonSet', updated: 2 }],
    ['a StatefulSet still has its old revision', { kind: 'StatefulSet', rolledOut: false }],
    ['a pod below the partition is not Ready', { kind: 'StatefulSet', partition: 2, ready: 2 }],
  ])('and not while %s', (_, mods) => {
    const newPods = [pod({ ready: true })];
    expect(first({ workload: workload({ ...done, ...mods }), newPods }).state).toBe('progressing');
  });
});

describe('a workload without pods', () => {
  const zero = workload({ desired: 0, replicas: 0, updated: 0, ready: 0, available: 0 });

  test('that wanted none since it was assigned has nothing to judge', () => {
    expect(first({ workload: zero, wantedPods: false })).toEqual({ state: 'no pods' });
  });

  test('that was scaled to zero since then is not healthy', () => {
    expect(first({ workload: zero })).toEqual({ state: 'scaled to zero' });
  });

  test('that is a new DaemonSet is not known to want none', () => {
    const unseen = { ...zero, kind: 'DaemonSet' as const, observedGeneration: 0, generation: 1 };
    expect(first({ workload: unseen, wantedPods: false })).toEqual({ state: 'progressing' });
  });
});

describe('a failure proves nothing', () => {
  const looping = pod({}, { restarts: 3, waiting: { reason: 'CrashLoopBackOff' } });
  const failingBefore = new Set(['crash app']);

  test('when the old pods failed in the same way', () => {
    expect(first({ newPods: [looping], failingBefore })).toMatchObject({
      state: 'not judged',
      reason: 'FailedBefore',
      problem: { reason: 'CrashLoopBackOff' },
    });
  });

  test('when new pods crash once until the deadline, as the old pods did', () => {
    const slow = { newPods: [pod({}, { restarts: 1, lastTerminated: { exitCode: 1 } })], failingBefore };
    expect(atDeadline(slow)).toMatchObject({ state: 'not judged', reason: 'FailedBefore' });
    expect(atDeadline({ ...slow, failingBefore: new Set() }).state).toBe('failed');
  });

  test('but counts when the new pods fail in another way', () => {
    const other = pod({}, { waiting: { reason: 'CreateContainerConfigError' } });
    expect(first({ newPods: [looping, other], failingBefore }).state).toBe('failed');
    const sidecar = pod({}, {}, { name: 'proxy', restarts: 2 });
    expect(first({ newPods: [sidecar], failingBefore }).state).toBe('failed');
  });

  test('when the workload was never healthy, until it gets healthy', () => {
    const never = { seenHealthy: false };
    expect(first({ ...never, newPods: [looping] })).toMatchObject({ reason: 'NeverHealthy' });
    expect(atDeadline({ ...never, newPods: [pod()] })).toMatchObject({
      state: 'not judged',
      reason: 'NeverHealthy',
    });
    const { memory } = judge(observation({ seenHealthy: true }), undefined, 0);
    expect(judge(observation({ ...never, newPods: [looping] }), memory, 1).verdict.state).toBe('failed');
  });

  test('of a pod whose node is lost, whatever else it shows', () => {
    expect(first({ newPods: [{ ...looping, nodeProblem: 'node unreachable' }] }).state).toBe('progressing');
  });
});

test('a new leader leaves a parked activation parked, and gives pods that start the whole time', () => {
  expect(first({ parked: true, newPods: [pod({ unschedulable: 'no room' })] }).state).toBe('inconclusive');
  expect(first({ parked: true, newPods: [pod()] }).state).toBe('progressing');
  expect(first({ parked: true, newPods: [pod({ unschedulable: 'no room' }), pod()] }).state).toBe(
    'progressing',
  );
});

describe('some pods have an external cause, and the others run', () => {
  const replaced = workload({ kind: 'DaemonSet', replicas: 3, updated: 3, available: 2 });
  const newPods = [pod({ ready: true }), pod({ uid: 'uid-2', nodeProblem: 'node unreachable' })];

  test('at the deadline those that run have judged the version', () => {
    expect(first({ workload: replaced, newPods })).toEqual({ state: 'progressing' });
    expect(atDeadline({ workload: replaced, newPods })).toEqual({ state: 'healthy' });
  });

  test('but not while an old pod is left, nor when none of them runs', () => {
    expect(atDeadline({ workload: { ...replaced, updated: 2 }, newPods }).state).toBe('inconclusive');
    expect(atDeadline({ workload: replaced, newPods: newPods.slice(1) }).state).toBe('inconclusive');
  });

  test.each<[string, Partial<WorkloadObservation>]>([
    ['another pod has no node', { newPods: [pod({ unschedulable: 'no room' }), pod({ name: 'web-2' })] }],
    [
      'a quota keeps others from being created',
      { newPods: [pod({ name: 'web-2' })], workload: workload({ createFailure: 'exceeded quota' }) },
    ],
  ])('a pod that runs and never gets Ready fails, although %s', (_, mods) => {
    expect(atDeadline(mods)).toMatchObject({
      state: 'failed',
      problem: { reason: 'ProgressDeadlineExceeded', pod: 'web-2' },
    });
  });
});

test('judging the same observation twice at the same time says the same', () => {
  const anyPod = fc.record({
    ready: fc.boolean(),
    terminating: fc.boolean(),
    restarts: fc.nat(3),
    uid: fc.constantFrom('a', 'b'),
  });
  fc.assert(
    fc.property(
      fc.array(anyPod, { maxLength: 3 }),
      fc.nat(4),
      fc.nat(deadlineMs * 2),
      (pods, updated, now) => {
        const cluster = observation({
          workload: workload({ updated }),
          newPods: pods.map(({ uid, ready, terminating, restarts }) =>
            pod({ uid, ready, terminating }, { restarts }),
          ),
        });
        const start: HealthMemory = judge(observation(), undefined, 0).memory;
        const one = judge(cluster, start, now);
        expect(judge(cluster, one.memory, now)).toEqual(one);
      },
    ),
  );
});
