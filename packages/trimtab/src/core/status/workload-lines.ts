import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { WorkloadReport, WorkloadState } from '../activation/types.ts';
import type { PodProblem } from '../workload/pod-failure.ts';
import { readWorkloadKey, workloadText } from '../workload/workload-key.ts';
import { workloadProgress } from '../workload/workload-progress.ts';

export type WorkloadLine = NonNullable<ConfigRolloutStatus['workloads']>[number];

/** The entry of a workload in the status, as `kubectl describe` shows it. */
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
      return { state: 'Pending', message: `Waiting for lower waves to finish before wave ${workload.wave}` };
    case 'settling':
      return { state: 'Pending', message: settlingText(workload) };
    case 'progressing':
      return { state: 'Progressing' };
    case 'healthy':
      return { state: 'Healthy' };
    case 'pinned':
      return {
        state: 'Pinned',
        message:
          'Another client changed its versions during this activation; the workload left the activation',
      };
    case 'ignored':
      return {
        state: 'Ignored',
        message: `${workloadText(workload.key)} was failing before this release; its result is not counted`,
      };
    case 'reverting':
      return { state: 'Reverting' };
    case 'waiting':
      return report.for === 'delete'
        ? {
            state: 'WaitingForDelete',
            message: 'The update strategy is OnDelete: delete the pods to update them',
          }
        : {
            state: 'WaitingForResume',
            message: `${workloadText(workload.key)} is paused: kubectl rollout resume ${workload.key.toLowerCase()}`,
          };
    case 'failed':
      return { state: 'Failed', message: problemText(report.problem) };
    case 'inconclusive':
      return { state: 'Inconclusive', message: problemText(report.problem) };
  }
}

function settlingText({ key, observed }: WorkloadState): string {
  const pods = `${observed.available} of ${observed.desired} pods`;
  return `Waiting for ${workloadText(key)} to become available before updating it (${pods})`;
}

function atRest({ assignment, observed }: WorkloadState): { state: string; message?: string } {
  if (assignment === 'pinned')
    return {
      state: 'Pinned',
      message: 'Another client chose its versions (rollout undo or GitOps); the next activation updates it',
    };
  if (assignment === 'unassigned') return { state: 'Assigning' };
  return { state: workloadProgress(observed).done ? 'Healthy' : 'Progressing' };
}

/** `pod web-x, container app: CrashLoopBackOff, exit code 1: no such port` */
export function problemText({ reason, pod, container, exitCode, message }: PodProblem): string {
  const where = [pod && `pod ${pod}`, container && `container ${container}`].filter(Boolean).join(', ');
  const what = [reason, exitCode !== undefined && `exit code ${exitCode}`].filter(Boolean).join(', ');
  // A termination message may be 4 KiB of stack trace; the first lines name the cause.
  const text = message?.trim().slice(0, 300);
  return `${where === '' ? '' : `${where}: `}${what}${text ? `: ${text}` : ''}`;
}
