import { injected } from '../../api/injected-pod.ts';
import type { ObservedPod } from './observed.ts';
import { externalCause, failureMode, failureOf, type PodProblem } from './pod-failure.ts';
import {
  attributeFailure,
  firstExternalCause,
  type HealthMemory,
  type PodBaseline,
  type Verdict,
  type WorkloadObservation,
  wantsNoPod,
} from './verdict.ts';
import { workloadProgress } from './workload-progress.ts';

/** A pod of a workload whose pods are reloaded. */
export interface ReloadedPod extends ObservedPod {
  /** The pod has an agent. Others are replaced. */
  hasAgent: boolean;
  /** The agent has reported that the application runs the wanted versions. */
  acknowledged: boolean;
  /** Why the application refused one of the wanted versions. */
  refusal?: string | undefined;
}

export interface ReloadObservation extends Omit<WorkloadObservation, 'newPods'> {
  pods: readonly ReloadedPod[];
  ackTimeoutMs: number;
}

/** A gateway writes what agents report at most once a second, so an acknowledgement arrives later than it was given. */
export const reportDelayMs = 2_000;

/** What the pods were like before the versions were pushed, for the memory of the first reconciliation. */
export function podBaselines(pods: readonly ObservedPod[]): ReadonlyMap<string, PodBaseline> {
  return new Map(
    pods.map(({ uid, ready, containers }) => [
      uid,
      { ready, restarts: new Map(containers.map(({ name, restarts }) => [name, restarts])) },
    ]),
  );
}

/**
 * Judges a workload whose pods are reloaded. Pods are judged by what their agents report and by what they do after the
 * push. A pod that was Ready before and then restarts or loses readiness has refused the version.
 */
export function judgeReload(
  observation: ReloadObservation,
  before: HealthMemory | undefined,
  now: number,
): { verdict: Verdict; memory: HealthMemory } {
  const live = observation.pods.filter(({ terminating }) => !terminating);
  const memory = observe(observation, live, before, now);
  const verdict = attributeFailure(observation, decide(observation, live, memory, now));
  return { verdict, memory: { ...memory, wasHealthy: memory.wasHealthy || verdict.state === 'healthy' } };
}

function decide(
  observation: ReloadObservation,
  live: readonly ReloadedPod[],
  memory: HealthMemory,
  now: number,
): Verdict {
  const { workload, wantedPods, ackTimeoutMs, progressDeadlineMs } = observation;
  const failure = failureOfPods(observation, live, memory);
  if (failure?.state === 'failed') return failure;
  if (wantsNoPod(workload)) return { state: wantedPods ? 'scaled to zero' : 'no pods' };
  const acknowledged = live.filter((pod) => pod.acknowledged);
  const progress = workloadProgress(workload);
  const isSeenReady = acknowledged.some(({ ready }) => ready);
  if (progress.done && acknowledged.length === live.length && isSeenReady) return { state: 'healthy' };
  if (failure !== undefined) return failure;
  if (progress.waitsFor !== undefined) return { state: 'waiting', for: progress.waitsFor };
  const idleMs = now - memory.progressedAt;
  const isDue = idleMs >= progressDeadlineMs;
  const silent = idleMs >= ackTimeoutMs + reportDelayMs ? firstSilent(live) : undefined;
  if (silent !== undefined) {
    const message = `no acknowledgement within ${Math.round(ackTimeoutMs / 1000)} s`;
    const problem: PodProblem = { reason: 'NotAcknowledged', pod: silent.name, message };
    // While no agent answers, the gateway or the network is the likely cause.
    if (acknowledged.length === 0) return { state: 'inconclusive', problem, late: isDue };
    return blame(observation, memory, problem);
  }
  return isDue ? atDeadline(observation, live, memory) : { state: 'progressing' };
}

/** A pod that is Ready and whose agent has not answered. The agent of a pod that is not Ready may not run. */
function firstSilent(live: readonly ReloadedPod[]): ReloadedPod | undefined {
  return live.find(
    (pod) => pod.hasAgent && pod.ready && !pod.acknowledged && externalCause(pod) === undefined,
  );
}

/** Nothing has happened for a progress deadline. */
function atDeadline(
  observation: ReloadObservation,
  live: readonly ReloadedPod[],
  memory: HealthMemory,
): Verdict {
  const late = live.find((pod) => pod.acknowledged && !pod.ready && externalCause(pod) === undefined);
  if (late !== undefined) {
    const message = `not Ready within ${Math.round(observation.progressDeadlineMs / 1000)} s`;
    return blame(observation, memory, { reason: 'ProgressDeadlineExceeded', pod: late.name, message });
  }
  const bare = live.find(({ hasAgent }) => !hasAgent);
  const problem: PodProblem = firstExternalCause(observation.workload, live) ??
    (bare && { reason: 'AgentMissing', pod: bare.name, message: 'the pod has no agent' }) ?? {
      reason: 'NoProgress',
      pod: '',
    };
  return { state: 'inconclusive', problem, late: true };
}

/** Returns the failure of a pod that counts; else one that proves nothing; else undefined. */
function failureOfPods(
  observation: ReloadObservation,
  live: readonly ReloadedPod[],
  memory: HealthMemory,
): Extract<Verdict, { state: 'failed' | 'not judged' }> | undefined {
  let unproven: Extract<Verdict, { state: 'not judged' }> | undefined;
  for (const pod of live) {
    if (externalCause(pod) !== undefined) continue;
    const problem = problemOf(pod, observation.maxRestarts, memory);
    if (problem === undefined) continue;
    const verdict = blame(observation, memory, problem);
    if (verdict.state === 'failed') return verdict;
    unproven ??= verdict;
  }
  return unproven;
}

function problemOf(
  pod: ReloadedPod,
  maxRestarts: number,
  { readyPods, baseline }: HealthMemory,
): PodProblem | undefined {
  if (pod.refusal !== undefined) return { reason: 'Refused', pod: pod.name, message: pod.refusal };
  const before = baseline?.get(pod.uid);
  // A pod without an agent runs what it ran before, and is about to be replaced.
  if (!pod.hasAgent) return undefined;
  const containers = pod.containers
    // The agent is not part of the application: while it does not run, an acknowledgement is missing.
    .filter(({ name }) => name !== injected.container)
    .map((each) => ({
      ...each,
      restarts: Math.max(0, each.restarts - (before?.restarts.get(each.name) ?? 0)),
    }));
  const wasReady = before?.ready === true;
  return failureOf({ ...pod, containers }, wasReady || readyPods.has(pod.uid), wasReady ? 0 : maxRestarts);
}

function blame(
  { failingBefore, seenHealthy }: ReloadObservation,
  { wasHealthy }: HealthMemory,
  problem: PodProblem,
): Extract<Verdict, { state: 'failed' | 'not judged' }> {
  if (failingBefore.has(failureMode(problem)))
    return { state: 'not judged', reason: 'FailedBefore', problem };
  if (!seenHealthy && !wasHealthy) return { state: 'not judged', reason: 'NeverHealthy', problem };
  return { state: 'failed', problem };
}

function observe(
  { workload, seenHealthy }: ReloadObservation,
  live: readonly ReloadedPod[],
  before: HealthMemory | undefined,
  now: number,
): HealthMemory {
  const { updated, replicas, observedGeneration, available, desired } = workload;
  const acknowledged = live.filter((pod) => pod.acknowledged);
  const ready = acknowledged.filter((pod) => pod.ready).map(({ uid }) => uid);
  const agents = live.filter(({ hasAgent }) => hasAgent).length;
  const hasExternalCause = firstExternalCause(workload, live) !== undefined;
  const counts = [updated, replicas, observedGeneration, available, desired];
  const seen = JSON.stringify([
    ...counts,
    live.length,
    agents,
    acknowledged.length,
    ready.length,
    hasExternalCause,
  ]);
  return {
    seen,
    progressedAt: before === undefined || before.seen !== seen ? now : before.progressedAt,
    readyPods: new Set([...(before?.readyPods ?? []), ...ready]),
    wasHealthy: seenHealthy || (before?.wasHealthy ?? false),
    baseline: before?.baseline ?? podBaselines(live),
  };
}
