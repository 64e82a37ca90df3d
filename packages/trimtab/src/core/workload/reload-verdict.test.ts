import { describe, expect, test } from 'vitest';
import type { ObservedContainer, ObservedWorkload } from './observed.ts';
import { judgeReload, type ReloadedPod, type ReloadObservation } from './reload-verdict.ts';
import type { HealthMemory, Verdict } from './verdict.ts';

const workload: ObservedWorkload = {
  kind: 'Deployment',
  generation: 2,
  observedGeneration: 2,
  desired: 2,
  replicas: 2,
  updated: 2,
  ready: 2,
  available: 2,
  strategy: 'RollingUpdate',
  partition: 0,
  rolledOut: true,
  stalled: false,
  paused: false,
};

const container = (more: Partial<ObservedContainer> = {}): ObservedContainer => ({
  name: 'app',
  restarts: 0,
  hasLivenessProbe: false,
  ...more,
});

const pod = (name: string, more: Partial<ReloadedPod> = {}): ReloadedPod => ({
  name,
  uid: `uid of ${name}`,
  ready: true,
  terminating: false,
  containers: [container()],
  hasAgent: true,
  acknowledged: false,
  ...more,
});

const told = { acknowledged: true };

const observation = (pods: ReloadedPod[], more: Partial<ReloadObservation> = {}): ReloadObservation => ({
  workload,
  pods,
  failingBefore: new Set(),
  seenHealthy: true,
  wantedPods: true,
  parked: false,
  templateChangedToo: false,
  maxRestarts: 1,
  progressDeadlineMs: 600_000,
  ackTimeoutMs: 30_000,
  ...more,
});

/** Judges the steps one after the other, and returns the last verdict. */
function judged(...steps: [atSeconds: number, ...rest: Parameters<typeof observation>][]): Verdict {
  let memory: HealthMemory | undefined;
  let verdict: Verdict = { state: 'progressing' };
  for (const [seconds, ...seen] of steps) {
    const result = judgeReload(observation(...seen), memory, seconds * 1000);
    memory = result.memory;
    verdict = result.verdict;
  }
  return verdict;
}

const before: [number, ReloadedPod[]] = [0, [pod('a'), pod('b')]];

describe('a workload is healthy', () => {
  test('when all of its pods have acknowledged', () => {
    expect(judged(before, [1, [pod('a', told), pod('b', told)]])).toEqual({ state: 'healthy' });
  });

  test('and not before the last one has', () => {
    expect(judged(before, [1, [pod('a', told), pod('b')]])).toEqual({ state: 'progressing' });
  });

  test('also when a pod that did not acknowledge is being deleted', () => {
    const going = pod('b', { terminating: true });
    expect(judged(before, [1, [pod('a', told), going]])).toEqual({ state: 'healthy' });
  });

  test('whatever restarts its pods had before the push', () => {
    const veteran = { containers: [container({ restarts: 7 })] };
    const pods = (more: object) => [pod('a', { ...veteran, ...more })];
    expect(judged([0, pods({})], [1, pods(told)])).toEqual({ state: 'healthy' });
  });

  test('whatever restarts the agent had', () => {
    const agent = container({ name: 'trimtab-agent', restarts: 5 });
    expect(judged(before, [1, [pod('a', { ...told, containers: [container(), agent] })]])).toEqual({
      state: 'healthy',
    });
  });
});

describe('a workload fails', () => {
  const reasonOf = (verdict: Verdict) => ('problem' in verdict ? verdict.problem.reason : undefined);

  test('at once when an application refuses, with its words', () => {
    const verdict = judged(before, [1, [pod('a', told), pod('b', { refusal: 'HTTP 422: no such port' })]]);
    expect(verdict).toEqual({
      state: 'failed',
      problem: { reason: 'Refused', pod: 'b', message: 'HTTP 422: no such port' },
    });
  });

  test('when a pod that was Ready loses readiness after the push', () => {
    const verdict = judged(before, [1, [pod('a', told), pod('b', { ready: false })]]);
    expect([verdict.state, reasonOf(verdict)]).toEqual(['failed', 'ReadyLost']);
  });

  test('at the first restart of a pod that was Ready', () => {
    const restarted = pod('b', { containers: [container({ restarts: 1 })] });
    const verdict = judged(before, [1, [pod('a', told), restarted]]);
    expect([verdict.state, reasonOf(verdict)]).toEqual(['failed', 'Restarted']);
  });

  test('when some have acknowledged and a Ready one is silent for too long', () => {
    const seen = [pod('a', told), pod('b')];
    expect(judged(before, [1, seen], [32, seen]).state).toBe('progressing');
    const verdict = judged(before, [1, seen], [33, seen]);
    expect([verdict.state, reasonOf(verdict)]).toEqual(['failed', 'NotAcknowledged']);
  });

  test('when a pod acknowledged and is not Ready within the deadline', () => {
    const unready = { workload: { ...workload, ready: 1, available: 1 } };
    const seen = [pod('a', told), pod('b', { ...told, ready: false })];
    const verdict = judged(
      [0, [pod('a'), pod('b', { ready: false })], unready],
      [1, seen, unready],
      [601, seen, unready],
    );
    expect([verdict.state, reasonOf(verdict)]).toEqual(['failed', 'ProgressDeadlineExceeded']);
  });
});

describe('nothing is blamed', () => {
  test('while no agent answers: the gateway may be away', () => {
    const seen = [pod('a'), pod('b')];
    expect(judged(before, [32, seen])).toMatchObject({
      state: 'inconclusive',
      late: false,
      problem: { reason: 'NotAcknowledged' },
    });
    expect(judged(before, [600, seen])).toMatchObject({ state: 'inconclusive', late: true });
  });

  test('for a pod that was not Ready and does not answer', () => {
    const silent = pod('b', { ready: false });
    const short = { workload: { ...workload, available: 1, ready: 1 } };
    const verdict = judged(
      [0, [pod('a'), silent], short],
      [1, [pod('a', told), silent], short],
      [602, [pod('a', told), silent], short],
    );
    expect(verdict).toMatchObject({ state: 'inconclusive', late: true });
  });

  test('for a pod whose node is lost', () => {
    const lost = pod('b', { ready: false, nodeProblem: 'node is gone' });
    expect(judged(before, [1, [pod('a', told), lost]]).state).not.toBe('failed');
  });

  test('for a pod without an agent, which is replaced', () => {
    const bare = pod('b', { hasAgent: false, ready: false });
    expect(judged(before, [1, [pod('a', told), bare]])).toEqual({ state: 'progressing' });
    const rolling = { workload: { ...workload, updated: 1 } };
    expect(
      judged(before, [1, [pod('a', told), bare], rolling], [700, [pod('a', told), bare], rolling]),
    ).toMatchObject({
      state: 'inconclusive',
      problem: { reason: 'AgentMissing' },
    });
  });

  test('when the workload was never healthy', () => {
    const verdict = judged(
      [0, [pod('a')], { seenHealthy: false }],
      [1, [pod('a', { refusal: 'no' })], { seenHealthy: false }],
    );
    expect(verdict).toMatchObject({ state: 'not judged', reason: 'NeverHealthy' });
  });

  test('when the template changed, too', () => {
    const verdict = judged(before, [1, [pod('a', { refusal: 'no' })], { templateChangedToo: true }]);
    expect(verdict).toMatchObject({ state: 'inconclusive', problem: { reason: 'TemplateChangedToo' } });
  });
});

test('a workload that wants no pods is not judged', () => {
  const none = { ...workload, desired: 0, replicas: 0, updated: 0, ready: 0, available: 0 };
  expect(judged([0, [], { workload: none, wantedPods: false }])).toEqual({ state: 'no pods' });
  expect(judged([0, [], { workload: none }])).toEqual({ state: 'scaled to zero' });
});
