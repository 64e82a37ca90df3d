import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { WorkloadReport, WorkloadState } from '../activation/types.ts';
import type { PodProblem } from '../workload/pod-failure.ts';
import { readWorkloadKey } from '../workload/workload-key.ts';
import { workloadProgress } from '../workload/workload-progress.ts';

export type WorkloadLine = NonNullable<ConfigRolloutStatus['workloads']>[number];

/** One line for each workload, as `kubectl describe` and the CLI show it. */
export function workloadLine(workload: WorkloadState, report: WorkloadReport | undefined): WorkloadLine {
  const { kind, name } = readWorkloadKey(workload.key);
  const { updated, total } = workloadProgress(workload.observed);
  const pending = report?.state === 'pending' || report?.state === 'settling';
  const line = { kind, name, mode: 'Recycle' as const, updated: pending ? 0 : updated, total };
  const { state, message } = describe(workload, report);
  return { ...line, state, ...(message !== undefined && { message }) };
}

function describe(
  workload: WorkloadState,
  report: WorkloadReport | undefined,
): { state: string; message?: string } {
  switch (report?.state) {
    case undefined:
      return atRest(workload);
    case 'pending':
      return { state: 'Pending', message: `wave ${workload.wave} has not begun` };
    case 'settling':
      return { state: 'Pending', message: 'it lacks pods, and nothing says why: it is moved in a moment' };
    case 'progressing':
      return { state: 'Progressing' };
    case 'healthy':
      return { state: 'Healthy' };
    case 'pinned':
      return { state: 'Pinned', message: 'somebody chose other versions since this activation moved it' };
    case 'ignored':
      return { state: 'Ignored', message: 'it was unhealthy before, so it decides nothing' };
    case 'reverting':
      return { state: 'Reverting' };
    case 'waiting':
      return report.for === 'delete'
        ? { state: 'WaitingForDelete', message: 'its strategy is OnDelete: delete its pods to go on' }
        : {
            state: 'WaitingForResume',
            message: `it is paused: kubectl rollout resume ${workload.key.toLowerCase()}`,
          };
    case 'failed':
      return { state: 'Failed', message: problemText(report.problem) };
    case 'inconclusive':
      return { state: 'Inconclusive', message: problemText(report.problem) };
  }
}

function atRest({ assignment, observed }: WorkloadState): { state: string; message?: string } {
  if (assignment === 'pinned')
    return { state: 'Pinned', message: 'somebody chose other versions; the next activation moves it' };
  if (assignment === 'unassigned') return { state: 'Assigning' };
  return { state: workloadProgress(observed).done ? 'Healthy' : 'Progressing' };
}

/** `pod web-x, container app: CrashLoopBackOff, exit code 1: no such port` */
export function problemText({ reason, pod, container, exitCode, message }: PodProblem): string {
  const where = [pod && `pod ${pod}`, container && `container ${container}`].filter(Boolean).join(', ');
  const what = [reason, exitCode !== undefined && `exit code ${exitCode}`].filter(Boolean).join(', ');
  // A termination message may be 4 KiB of stack trace; its first lines tell what happened.
  const text = message?.trim().slice(0, 300);
  return `${where === '' ? '' : `${where}: `}${what}${text ? `: ${text}` : ''}`;
}
