import type { ObservedPod, ObservedWorkload } from './observed.ts';
import { crashModes, externalCause, failureMode, failureOf, type PodProblem } from './pod-failure.ts';
import { isReplaced, type WaitsFor, workloadProgress } from './workload-progress.ts';

/** State of a workload between reconciliations. It is kept in memory only, so a new leader starts without it. */
export interface HealthMemory {
  /** Changes when the workload makes progress. */
  seen: string;
  /** Monotonic time of the last progress. */
  progressedAt: number;
  /** Pods that were Ready during this activation. */
  readyPods: ReadonlySet<string>;
  /** The workload was healthy during this activation, with the old or with the new version. */
  wasHealthy: boolean;
  /** Reload only: what the pods were like when the versions were pushed, by uid. */
  baseline?: ReadonlyMap<string, PodBaseline>;
}

export interface PodBaseline {
  ready: boolean;
  /** By container. */
  restarts: ReadonlyMap<string, number>;
}

export type Verdict =
  | { state: 'healthy' }
  | { state: 'progressing' }
  /** Nothing happens until a user acts. */
  | { state: 'waiting'; for: WaitsFor }
  /** No pod was wanted since the workload was assigned, so there is nothing to judge. */
  | { state: 'no pods' }
  /** Pods were wanted when the workload was assigned, and none is wanted now. */
  | { state: 'scaled to zero' }
  /** The content is the most likely cause: roll back. */
  | { state: 'failed'; problem: PodProblem }
  /** New pods fail as the old ones did, or the workload was never healthy: that says nothing about the content. */
  | { state: 'not judged'; reason: 'FailedBefore' | 'NeverHealthy'; problem: PodProblem }
  /**
   * The workload fails, but the content may not be the cause: reject nothing. `late`: nothing has happened for a
   * progress deadline.
   */
  | { state: 'inconclusive'; problem: PodProblem; late: boolean };

export interface WorkloadObservation {
  workload: ObservedWorkload;
  /** The pods that run the version that this activation assigned. */
  newPods: readonly ObservedPod[];
  /** Ways in which the old pods failed when the workload was assigned; see `failureMode`. */
  failingBefore: ReadonlySet<string>;
  /** The workload was healthy before it was assigned, or its old pods are Ready now. */
  seenHealthy: boolean;
  /** Pods were wanted at some time since the workload was assigned. */
  wantedPods: boolean;
  /** The activation is parked: nobody could judge it for a progress deadline, which a new leader need not repeat. */
  parked: boolean;
  /** The template differs from the last healthy one in more than managed references. */
  templateChangedToo: boolean;
  maxRestarts: number;
  progressDeadlineMs: number;
}

/** Judges one workload of an activation, and returns what to remember for the next reconciliation. */
export function judge(
  observation: WorkloadObservation,
  before: HealthMemory | undefined,
  now: number,
): { verdict: Verdict; memory: HealthMemory } {
  const memory = observe(observation, before, now);
  const verdict = attributeFailure(observation, decide(observation, memory, now));
  return { verdict, memory: { ...memory, wasHealthy: memory.wasHealthy || verdict.state === 'healthy' } };
}

function decide(observation: WorkloadObservation, memory: HealthMemory, now: number): Verdict {
  const { workload, newPods, wantedPods } = observation;
  const failure = failureOfPods(observation, memory);
  if (failure?.state === 'failed') return failure;
  if (wantsNoPod(workload)) return { state: wantedPods ? 'scaled to zero' : 'no pods' };
  const progress = workloadProgress(workload);
  // The watch of workloads may be ahead of the watch of pods: what was not seen to run was not judged.
  const isSeenReady = newPods.some(({ ready, terminating }) => ready && !terminating);
  if (progress.done && isSeenReady) return { state: 'healthy' };
  if (failure !== undefined) return failure;
  if (progress.waitsFor !== undefined) return { state: 'waiting', for: progress.waitsFor };
  const isDue = now - memory.progressedAt >= observation.progressDeadlineMs;
  const staysParked =
    observation.parked &&
    firstExternalCause(workload, newPods) !== undefined &&
    latePods(newPods).every((pod) => externalCause(pod) !== undefined);
  if (!isDue && !staysParked) return { state: 'progressing' };
  return atDeadline(observation, memory, isSeenReady);
}

/** Nothing has happened for a progress deadline. */
function atDeadline(
  { workload, newPods, failingBefore, seenHealthy, progressDeadlineMs }: WorkloadObservation,
  { wasHealthy }: HealthMemory,
  isSeenReady: boolean,
): Verdict {
  const pod = latePods(newPods).find((each) => externalCause(each) === undefined);
  // All pods are replaced, and those that do not run have an external cause. The others have judged the version.
  if (pod === undefined && isSeenReady && isReplaced(workload)) return { state: 'healthy' };
  // A pod that could start is judged by what it does itself, whatever keeps the others from starting.
  if (pod === undefined) {
    // Without a known cause the workload controller does not work, which content cannot cause.
    const problem = firstExternalCause(workload, newPods) ?? { reason: 'NoProgress', pod: '' };
    return { state: 'inconclusive', problem, late: true };
  }
  const message = `not Ready within ${Math.round(progressDeadlineMs / 1000)} s`;
  const problem: PodProblem = { reason: 'ProgressDeadlineExceeded', pod: pod.name, message };
  if (!seenHealthy && !wasHealthy) return { state: 'not judged', reason: 'NeverHealthy', problem };
  // A slow crash loop may show one crash until the deadline.
  const failsAlike = crashModes(pod).some((mode) => failingBefore.has(mode));
  return failsAlike ? { state: 'not judged', reason: 'FailedBefore', problem } : { state: 'failed', problem };
}

function latePods(pods: readonly ObservedPod[]): ObservedPod[] {
  return pods.filter(({ ready, terminating }) => !ready && !terminating);
}

/** Returns the failure of a new pod that counts; else one that proves nothing; else undefined. */
function failureOfPods(
  { newPods, failingBefore, seenHealthy, maxRestarts }: WorkloadObservation,
  { readyPods, wasHealthy }: HealthMemory,
): Extract<Verdict, { state: 'failed' | 'not judged' }> | undefined {
  let unproven: Extract<Verdict, { state: 'not judged' }> | undefined;
  for (const pod of newPods) {
    // A pod whose node, image or quota is the cause says nothing about the content, whatever else it shows.
    if (externalCause(pod) !== undefined) continue;
    const problem = failureOf(pod, readyPods.has(pod.uid), maxRestarts);
    if (problem === undefined) continue;
    if (failingBefore.has(failureMode(problem)))
      unproven ??= { state: 'not judged', reason: 'FailedBefore', problem };
    else if (!seenHealthy && !wasHealthy)
      unproven ??= { state: 'not judged', reason: 'NeverHealthy', problem };
    else return { state: 'failed', problem };
  }
  return unproven;
}

export function wantsNoPod({ kind, desired, observedGeneration, generation }: ObservedWorkload): boolean {
  // How many pods a DaemonSet wants is known once its controller has counted the nodes.
  return desired === 0 && (kind !== 'DaemonSet' || observedGeneration >= generation);
}

/** If the template also changed in other ways, a failure cannot be attributed to the content. */
export function attributeFailure(
  observation: Pick<WorkloadObservation, 'templateChangedToo'>,
  verdict: Verdict,
): Verdict {
  if (verdict.state !== 'failed' || !observation.templateChangedToo) return verdict;
  const { problem } = verdict;
  const seen = `${problem.reason}${problem.message === undefined ? '' : `: ${problem.message}`}`;
  return {
    state: 'inconclusive',
    problem: { ...problem, reason: 'TemplateChangedToo', message: seen },
    late: false,
  };
}

export function firstExternalCause(
  workload: ObservedWorkload,
  pods: readonly ObservedPod[],
): PodProblem | undefined {
  for (const pod of pods) {
    const cause = externalCause(pod);
    if (cause !== undefined) return cause;
  }
  if (workload.createFailure === undefined) return undefined;
  return { reason: 'FailedCreate', pod: '', message: workload.createFailure };
}

function observe(
  { workload, newPods, seenHealthy }: WorkloadObservation,
  before: HealthMemory | undefined,
  now: number,
): HealthMemory {
  const ready = newPods.filter((pod) => pod.ready).map((pod) => pod.uid);
  const { updated, replicas, observedGeneration, available, desired } = workload;
  // As for Deployments, progress means that pods were created, became ready or available, or that old pods were
  // removed. The watch of pods may be ahead of the status of the workload, so new pods are counted, too. The end of an external cause is progress, too: a pod that was just scheduled has the whole deadline to
  // become Ready.
  const hasExternalCause = firstExternalCause(workload, newPods) !== undefined;
  const seen = JSON.stringify([
    updated,
    replicas,
    observedGeneration,
    available,
    desired,
    newPods.length,
    ready.length,
    hasExternalCause,
  ]);
  const progressed = before === undefined || before.seen !== seen;
  return {
    seen,
    progressedAt: progressed ? now : before.progressedAt,
    readyPods: new Set([...(before?.readyPods ?? []), ...ready]),
    wasHealthy: seenHealthy || (before?.wasHealthy ?? false),
  };
}
