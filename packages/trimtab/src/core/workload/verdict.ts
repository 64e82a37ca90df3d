import type { ObservedPod, ObservedWorkload } from './observed.ts';
import { externalCause, failureOf, type PodProblem } from './pod-failure.ts';
import { workloadProgress } from './workload-progress.ts';

/** What is remembered of a workload between two looks, in memory only: a new leader starts to count anew. */
export interface HealthMemory {
  /** Changes when the workload makes progress. */
  seen: string;
  /** Monotonic milliseconds of the last progress. */
  progressedAt: number;
  /** Pods that were Ready during this activation. */
  readyPods: ReadonlySet<string>;
}

export type Verdict =
  | { state: 'healthy' }
  | { state: 'progressing' }
  /** Nothing happens until a person deletes pods (OnDelete) or resumes the Deployment. */
  | { state: 'waiting'; for: 'delete' | 'resume' }
  /** The content's fault, as far as anybody can tell: roll back. */
  | { state: 'failed'; problem: PodProblem }
  /** It does not work, and the content may well be innocent: pause, reject nothing. */
  | { state: 'inconclusive'; problem: PodProblem };

export interface WorkloadObservation {
  workload: ObservedWorkload;
  /** The pods that run the version this activation assigned. */
  newPods: readonly ObservedPod[];
  /** The template differs from the last healthy one in more than managed references. */
  templateChangedToo: boolean;
  maxRestarts: number;
  progressDeadlineMs: number;
}

/** Judges one workload of an activation, and says what to remember until the next look. */
export function judge(
  observation: WorkloadObservation,
  before: HealthMemory | undefined,
  now: number,
): { verdict: Verdict; memory: HealthMemory } {
  const memory = observe(observation, before, now);
  return { verdict: attributeFailure(observation, decide(observation, memory, now)), memory };
}

function decide(observation: WorkloadObservation, memory: HealthMemory, now: number): Verdict {
  const { workload, newPods } = observation;
  for (const pod of newPods) {
    const problem = failureOf(pod, memory.readyPods.has(pod.uid), observation.maxRestarts);
    if (problem !== undefined) return { state: 'failed', problem };
  }
  const progress = workloadProgress(workload);
  if (progress.done) return { state: 'healthy' };
  if (progress.waitsFor !== undefined) return { state: 'waiting', for: progress.waitsFor };
  if (now - memory.progressedAt < observation.progressDeadlineMs) return { state: 'progressing' };
  const cause = firstExternalCause(workload, newPods);
  if (cause !== undefined) return { state: 'inconclusive', problem: cause };
  const pod = newPods.find(({ ready, terminating }) => !ready && !terminating);
  // No new pod, and no reason for it: its controller does not work, and that is not the content's doing.
  if (pod === undefined) return { state: 'inconclusive', problem: { reason: 'NoProgress', pod: '' } };
  const message = `not Ready within ${Math.round(observation.progressDeadlineMs / 1000)} s`;
  return { state: 'failed', problem: { reason: 'ProgressDeadlineExceeded', pod: pod.name, message } };
}

/** A failure is not the content's when the template changed in other ways, too: nobody can tell which it was. */
function attributeFailure(observation: WorkloadObservation, verdict: Verdict): Verdict {
  if (verdict.state !== 'failed' || !observation.templateChangedToo) return verdict;
  const { problem } = verdict;
  const seen = `${problem.reason}${problem.message === undefined ? '' : `: ${problem.message}`}`;
  return { state: 'inconclusive', problem: { ...problem, reason: 'TemplateChangedToo', message: seen } };
}

function firstExternalCause(
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
  { workload, newPods }: WorkloadObservation,
  before: HealthMemory | undefined,
  now: number,
): HealthMemory {
  const ready = newPods.filter((pod) => pod.ready).map((pod) => pod.uid);
  const { updated, replicas, observedGeneration, available } = workload;
  // As a Deployment counts: pods that were made, became ready or available, or old ones that went. An cause that
  // ends is progress, too: a pod that has got its node at last has the whole time to get Ready.
  const hasExternalCause = firstExternalCause(workload, newPods) !== undefined;
  const seen = JSON.stringify([
    updated,
    replicas,
    observedGeneration,
    available,
    ready.length,
    hasExternalCause,
  ]);
  const progressed = before === undefined || before.seen !== seen;
  return {
    seen,
    progressedAt: progressed ? now : before.progressedAt,
    readyPods: new Set([...(before?.readyPods ?? []), ...ready]),
  };
}
