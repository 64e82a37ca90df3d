import type { ObservedPod, ObservedWorkload } from './observed.ts';
import { excuseOf, failureOf, type PodTrouble } from './pod-failure.ts';
import { workloadProgress } from './workload-progress.ts';

/** What is remembered of a workload between two looks, in memory only: a new leader starts to count anew. */
export interface Watchfulness {
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
  | { state: 'failed'; trouble: PodTrouble }
  /** It does not work, and the content may well be innocent: pause, reject nothing. */
  | { state: 'inconclusive'; trouble: PodTrouble };

export interface WorkloadLook {
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
  look: WorkloadLook,
  before: Watchfulness | undefined,
  now: number,
): { verdict: Verdict; remember: Watchfulness } {
  const remember = observe(look, before, now);
  return { verdict: blame(look, decide(look, remember, now)), remember };
}

function decide(look: WorkloadLook, memory: Watchfulness, now: number): Verdict {
  const { workload, newPods } = look;
  for (const pod of newPods) {
    const trouble = failureOf(pod, memory.readyPods.has(pod.uid), look.maxRestarts);
    if (trouble !== undefined) return { state: 'failed', trouble };
  }
  const progress = workloadProgress(workload);
  if (progress.done) return { state: 'healthy' };
  if (progress.waitsFor !== undefined) return { state: 'waiting', for: progress.waitsFor };
  if (now - memory.progressedAt < look.progressDeadlineMs) return { state: 'progressing' };
  const excuse = firstExcuse(workload, newPods);
  if (excuse !== undefined) return { state: 'inconclusive', trouble: excuse };
  const pod = newPods.find(({ ready, terminating }) => !ready && !terminating);
  // No new pod, and no reason for it: its controller does not work, and that is not the content's doing.
  if (pod === undefined) return { state: 'inconclusive', trouble: { reason: 'NoProgress', pod: '' } };
  const message = `not Ready within ${Math.round(look.progressDeadlineMs / 1000)} s`;
  return { state: 'failed', trouble: { reason: 'ProgressDeadlineExceeded', pod: pod.name, message } };
}

/** A failure is not the content's when the template changed in other ways, too: nobody can tell which it was. */
function blame(look: WorkloadLook, verdict: Verdict): Verdict {
  if (verdict.state !== 'failed' || !look.templateChangedToo) return verdict;
  const { trouble } = verdict;
  const seen = `${trouble.reason}${trouble.message === undefined ? '' : `: ${trouble.message}`}`;
  return { state: 'inconclusive', trouble: { ...trouble, reason: 'TemplateChangedToo', message: seen } };
}

function firstExcuse(workload: ObservedWorkload, pods: readonly ObservedPod[]): PodTrouble | undefined {
  for (const pod of pods) {
    const excuse = excuseOf(pod);
    if (excuse !== undefined) return excuse;
  }
  if (workload.createFailure === undefined) return undefined;
  return { reason: 'FailedCreate', pod: '', message: workload.createFailure };
}

function observe(
  { workload, newPods }: WorkloadLook,
  before: Watchfulness | undefined,
  now: number,
): Watchfulness {
  const ready = newPods.filter((pod) => pod.ready).map((pod) => pod.uid);
  const { updated, replicas, observedGeneration, available } = workload;
  // As a Deployment counts: pods that were made, became ready or available, or old ones that went. An excuse that
  // ends is progress, too: a pod that has got its node at last has the whole time to get Ready.
  const excused = firstExcuse(workload, newPods) !== undefined;
  const seen = JSON.stringify([updated, replicas, observedGeneration, available, ready.length, excused]);
  const progressed = before === undefined || before.seen !== seen;
  return {
    seen,
    progressedAt: progressed ? now : before.progressedAt,
    readyPods: new Set([...(before?.readyPods ?? []), ...ready]),
  };
}
