import { describe, expect, it } from 'vitest';
import { container, exited, noon, podOf, running, sidecar, viewOf } from '../../../test/support/pod-views.ts';
import type { Pod, PodStatus } from '../../objects/pod.ts';
import type { ContainerRecord } from './container-record.ts';
import { planPod } from './plan-pod.ts';
import { podStatus } from './pod-status.ts';
import type { PodView } from './pod-view.ts';

function statusOf(view: PodView, known: PodStatus = {}): PodStatus {
  return podStatus(view, planPod(view), known);
}

const condition = ({ conditions = [] }: PodStatus, type: string) => {
  const found = conditions.find((each) => each.type === type);
  const { lastTransitionTime: _time, observedGeneration: _generation, ...rest } = found ?? {};
  return rest;
};

const withInit = podOf({ initContainers: [container('init')] });
const going = { deletionTimestamp: '2026-01-01T12:00:30Z', deletionGracePeriodSeconds: 30 };

describe('the phase', () => {
  it.each<[string, Pod, Record<string, ContainerRecord>, string]>([
    ['of a fresh pod', podOf({}), {}, 'Pending'],
    ['while an init container runs', withInit, { init: running('init') }, 'Pending'],
    ['while an init container crashes', withInit, { init: exited(1) }, 'Pending'],
    [
      'while one of two containers cannot be made',
      podOf({ containers: [container('a'), container('b')] }),
      { a: running('a'), b: { made: 0 } },
      'Pending',
    ],
    ['with everything up', podOf({}), { app: running('app') }, 'Running'],
    ['while the only container waits to be restarted', podOf({}), { app: exited(1) }, 'Running'],
    [
      'with one done and one up',
      podOf({ restartPolicy: 'Never', containers: [container('a'), container('b')] }),
      { a: exited(1), b: running('b') },
      'Running',
    ],
    ['when all have ended well', podOf({ restartPolicy: 'OnFailure' }), { app: exited(0) }, 'Succeeded'],
    ['when one has failed for good', podOf({ restartPolicy: 'Never' }), { app: exited(2) }, 'Failed'],
    ['of a deleted pod while it still runs', podOf({}, going), { app: running('app') }, 'Running'],
    ['of a deleted pod that ended well', podOf({}, going), { app: exited(0) }, 'Succeeded'],
    ['of a deleted pod that had to be killed', podOf({}, going), { app: exited(137) }, 'Failed'],
    ['of a deleted pod that never ran', podOf({}, going), {}, 'Failed'],
    [
      'while a sidecar is up and the app restarts',
      podOf({ initContainers: [sidecar('side')] }),
      { side: running('side'), app: exited(1) },
      'Running',
    ],
    [
      'while a sidecar restarts',
      podOf({ initContainers: [sidecar('side')] }),
      { side: exited(1), app: running('app') },
      'Running',
    ],
    [
      'when an init container has failed for good',
      podOf({ restartPolicy: 'Never', initContainers: [container('init')] }),
      { init: exited(1) },
      'Failed',
    ],
  ])('%s', (_, pod, records, phase) => {
    expect(statusOf(viewOf(pod, records)).phase).toBe(phase);
  });

  it('never leaves an end', () => {
    const view = viewOf(podOf({}), { app: running('app') });
    expect(statusOf(view, { phase: 'Failed', reason: 'Evicted' })).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
    });
  });

  it('after the deadline is Failed at once, with the reason', () => {
    const view = viewOf(podOf({ activeDeadlineSeconds: 1 }), { app: running('app') });
    expect(statusOf(view)).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });
});

describe('conditions', () => {
  it('say which containers are not ready', () => {
    const pod = podOf({ containers: [container('b'), container('a')] });
    const status = statusOf(viewOf(pod, { a: running('a') }));
    const expected = {
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [b]',
    };
    expect(condition(status, 'Ready')).toEqual({ type: 'Ready', ...expected });
    expect(condition(status, 'ContainersReady')).toEqual({ type: 'ContainersReady', ...expected });
    expect(condition(status, 'Initialized')).toEqual({ type: 'Initialized', status: 'True' });
  });

  it('say which init containers are not through', () => {
    const status = statusOf(viewOf(withInit, { init: running('init') }));
    expect(condition(status, 'Initialized')).toEqual({
      type: 'Initialized',
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [init]',
    });
  });

  it('wait for readiness gates', () => {
    const pod = podOf({ readinessGates: [{ conditionType: 'shop/warm' }] });
    const view = viewOf(pod, { app: running('app') });
    expect(condition(statusOf(view), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "shop/warm" does not exist.',
    });
    pod.status = { conditions: [{ type: 'shop/warm', status: 'True' }] };
    expect(condition(statusOf(view), 'Ready')).toEqual({ type: 'Ready', status: 'True' });
  });

  it('keep their time while they stay the same', () => {
    const before = statusOf(viewOf(podOf({})));
    const view = viewOf(podOf({}), { app: running('app') }, { now: noon + 5_000 });
    const after = statusOf(view, before);
    const time = (status: PodStatus, type: string) =>
      status.conditions?.find((each) => each.type === type)?.lastTransitionTime;
    expect(time(after, 'Ready')).toBe('2026-01-01T12:00:05Z');
    expect(time(after, 'PodScheduled')).toBe(time(before, 'PodScheduled'));
  });

  it('tell that nothing can be started any more when the pod is over', () => {
    const status = statusOf(viewOf(podOf({ restartPolicy: 'Never' }), { app: exited(0) }));
    expect(condition(status, 'PodReadyToStartContainers')).toMatchObject({ status: 'False' });
    expect(condition(status, 'Ready')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
    expect(condition(status, 'Initialized')).toMatchObject({ status: 'True', reason: 'PodCompleted' });
  });
});

describe('a container', () => {
  const app = (view: PodView) => statusOf(view).containerStatuses?.[0];

  it('that waits for its first start', () => {
    expect(app(viewOf(podOf({})))).toEqual({
      name: 'app',
      image: 'app:1',
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {},
    });
    expect(app(viewOf(withInit))?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
  });

  it('that is being started, with its hook, is not shown as running', () => {
    const record = running('app', { starting: true });
    expect(app(viewOf(podOf({}), { app: record }))?.state).toEqual({
      waiting: { reason: 'ContainerCreating' },
    });
  });

  it('that is about to be started again still shows how it ended, and is not counted yet', () => {
    const record = { ...exited(3, { made: 2, starting: true }), current: { id: 'next', startedAt: noon } };
    expect(app(viewOf(podOf({}), { app: record }))).toMatchObject({
      state: { terminated: { exitCode: 3 } },
      restartCount: 0,
      containerID: 'process://old',
    });
  });

  it('that could not be made says why', () => {
    const waiting = { reason: 'CreateContainerConfigError', message: 'configmap "x" not found' };
    expect(app(viewOf(podOf({}), { app: { made: 0, waiting } }))).toMatchObject({
      state: { waiting },
      restartCount: 0,
    });
  });

  it('that waits for its restart shows how it ended as the state before', () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 10s …' };
    const record = exited(7, { made: 3, waiting, lastExit: exited(5).exit });
    expect(app(viewOf(podOf({}), { app: record }))).toMatchObject({
      state: { waiting },
      lastState: { terminated: { exitCode: 7, reason: 'Error', containerID: 'process://old' } },
      restartCount: 2,
    });
  });

  it('that will not be restarted shows how it ended, whatever it waited for', () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 10s …' };
    const view = viewOf(podOf({}, going), { app: exited(7, { waiting }) });
    expect(app(view)?.state).toMatchObject({ terminated: { exitCode: 7 } });
  });

  it('of which nobody knows an end is lost when its pod is over', () => {
    expect(app(viewOf(podOf({}, going)))?.state).toEqual({
      terminated: {
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
        message: 'The container could not be located when the pod was terminated',
      },
    });
    const { containerStatuses, conditions } = statusOf(
      viewOf({ ...withInit, metadata: going }, { init: exited(1) }),
    );
    expect(containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
    expect(conditions?.find(({ type }) => type === 'Ready')?.reason).toBe('ContainersNotReady');
  });

  it('that runs is as ready as its probes say', () => {
    const verdicts = { app: { started: true, ready: false } };
    expect(app(viewOf(podOf({}), { app: running('app') }, { verdicts }))).toMatchObject({
      started: true,
      ready: false,
      containerID: 'process://app',
      state: { running: { startedAt: '2026-01-01T11:59:00Z' } },
    });
  });
});
