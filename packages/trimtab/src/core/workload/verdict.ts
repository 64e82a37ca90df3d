import type { ObservedPod, ObservedWorkload } from './observed.ts';
import { externalCause, failureOf, type PodProblem } from './pod-failure.ts';
import { workloadProgress } from './workload-progress.ts';

/** State of a workload between reconciliations. It is kept in memory only, so a new leader starts without it. */
export interface HealthMemory {
  /** Changes when the workload makes progress. */
  seen: string;
  /** Monotonic time of the last progress. */
  progressedAt: number;
  /** Pods that were Ready during this activation. */
  readyPods: ReadonlySet<string>;
}

export type Verdict =
  | { state: 'healthy' }
  | { state: 'progressing' }
  /** Nothing happens until a user deletes pods (OnDelete) or resumes the Deployment. */
  | { state: 'waiting'; for: 'delete' | 'resume' }
  /** The content is the most likely cause: roll back. */
  | { state: 'failed'; problem: PodProblem }
  /** The workload fails, but the content may not be the cause: pause and reject nothing. */
  | { state: 'inconclusive'; problem: PodProblem };

export interface WorkloadObservation {
  workload: ObservedWorkload;
  /** The pods that run the version that this activation assigned. */
  newPods: readonly ObservedPod[];
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
  // There is no new pod and no known cause: the workload controller does not work, which content cannot cause.
  if (pod === undefined) return { state: 'inconclusive', problem: { reason: 'NoProgress', pod: '' } };
  const message = `not Ready within ${Math.round(observation.progressDeadlineMs / 1000)} s`;
  return { state: 'failed', problem: { reason: 'ProgressDeadlineExceeded', pod: pod.name, message } };
}

/** If the template also changed in other ways, a failure cannot be attributed to the content. */
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
  // As for Deployments, progress means that pods were created, became ready or available, or that old pods were
  // removed. The end of an external cause is progress, too: a pod that was just scheduled has the whole deadline to
  // become Ready.
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
