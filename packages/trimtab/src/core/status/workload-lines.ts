import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { VersionRef, WorkloadReport, WorkloadState } from '../activation/types.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { PodProblem } from '../workload/pod-failure.ts';
import { readWorkloadKey, workloadText } from '../workload/workload-key.ts';
import { type WaitsFor, workloadProgress } from '../workload/workload-progress.ts';

export type WorkloadLine = NonNullable<ConfigRolloutStatus['workloads']>[number];

/** The entry of a workload in the status, as `kubectl describe` shows it. `wanted`: the wanted version of the config. */
export function workloadLine(
  workload: WorkloadState,
  report: WorkloadReport | undefined,
  config: ConfigKey,
  wanted: VersionRef | undefined,
): WorkloadLine {
  const { kind, name } = readWorkloadKey(workload.key);
  const { total } = workloadProgress(workload.observed);
  const pods = workload.pods.filter(({ terminating }) => !terminating);
  const running = pods.filter(({ references }) => references.get(config) === wanted?.object);
  const updated = wanted === undefined ? 0 : Math.min(total, running.length);
  // A pod that is missing or not Ready says nothing about versions; one that runs another version does.
  const isBehind = wanted !== undefined && updated < total && running.length < pods.length;
  const { state, message } =
    report === undefined
      ? atRest(workload, {
          isCurrent: workload.references.get(config) === wanted?.object,
          behind: isBehind ? `${updated} of ${total} pods run version ${wanted.name}` : undefined,
        })
      : describe(workload, report, `${updated} of ${total} pods have acknowledged the version`);
  const mode = workload.isReloaded ? 'Reload' : 'Recycle';
  return { kind, name, mode, updated, total, state, ...(message !== undefined && { message }) };
}

/** `acknowledged`: how many pods of a reloaded workload have acknowledged the version. */
function describe(
  workload: WorkloadState,
  report: WorkloadReport,
  acknowledged: string,
): { state: string; message?: string } {
  const text = workloadText(workload.key);
  switch (report.state) {
    case 'pending':
      return { state: 'Pending', message: `Waiting for lower waves to finish before wave ${workload.wave}` };
    case 'progressing':
      return { state: 'Progressing', ...(workload.isReloaded && { message: acknowledged }) };
    case 'healthy':
      return { state: 'Healthy' };
    case 'left':
      return {
        state: 'Left',
        message: `Another client changed the versions of ${text} during this activation, which continues without it`,
      };
    case 'pinned':
      return pinnedLine(workload);
    case 'no pods':
      return { state: 'NoPods', message: `${text} has 0 desired pods, so it does not judge the version` };
    case 'scaled to zero':
      return {
        state: 'ScaledToZero',
        message: `${text} was scaled to zero during this activation; scale it up to have the version judged`,
      };
    case 'not judged':
      return {
        state: 'NotJudged',
        message:
          report.reason === 'FailedBefore'
            ? `${text} fails as it did before this activation: ${problemText(report.problem)}`
            : `${text} was never healthy: ${problemText(report.problem)}`,
      };
    case 'reverting':
      return { state: 'Reverting' };
    case 'waiting':
      return waitingLine(workload, report.for);
    case 'failed':
      return { state: 'Failed', message: problemText(report.problem) };
    case 'inconclusive':
      return { state: 'Inconclusive', message: problemText(report.problem) };
  }
}

function pinnedLine({ key }: WorkloadState): { state: string; message: string } {
  return {
    state: 'Pinned',
    message: `${workloadText(key)} is pinned by annotation ${annotations.pin} and keeps its versions; to unpin: trimtab unpin ${key.toLowerCase()}`,
  };
}

/** Whether the workload waits for a person, who has to delete pods, resume it, lower its partition or scale it up. */
export function isHeld(state: string): boolean {
  return state.startsWith('WaitingFor') || state === 'ScaledToZero';
}

function waitingLine({ key, observed }: WorkloadState, action: WaitsFor): { state: string; message: string } {
  switch (action) {
    case 'delete':
      return {
        state: 'WaitingForDelete',
        message: `The update strategy of ${workloadText(key)} is OnDelete: delete its pods to update them`,
      };
    case 'resume':
      return {
        state: 'WaitingForResume',
        message: `${workloadText(key)} is paused: kubectl rollout resume ${key.toLowerCase()}`,
      };
    case 'partition':
      return {
        state: 'WaitingForPartition',
        message: `Partition ${observed.partition} of ${workloadText(key)} keeps its ${observed.desired} pods on their old template: lower the partition`,
      };
  }
}

/**
 * `isCurrent`: the template references the current version of this config. `behind`: how many pods run that version, when
 * some run another one.
 */
function atRest(
  workload: WorkloadState,
  { isCurrent, behind }: { isCurrent: boolean; behind: string | undefined },
): { state: string; message?: string } {
  const { key, assignment, observed } = workload;
  const text = workloadText(key);
  if (workload.pin !== undefined) return pinnedLine(workload);
  // Another client may have chosen versions of other configs only.
  if (assignment === 'pinned' && !isCurrent)
    return {
      state: 'Pinned',
      message: `${text} runs versions that another client set (kubectl rollout undo or GitOps); the next activation updates it`,
    };
  if (assignment === 'unassigned')
    return { state: 'Assigning', message: `${text} is about to get its version` };
  if (observed.desired === 0) return { state: 'NoPods' };
  const { done, waitsFor } = workloadProgress(observed);
  if (behind === undefined) return { state: done ? 'Healthy' : 'Progressing' };
  if (waitsFor !== undefined) return waitingLine(workload, waitsFor);
  return { state: 'Assigning', message: `${text}: ${behind}` };
}

/** `pod web-x, container app: CrashLoopBackOff, exit code 1: no such port` */
export function problemText({ reason, pod, container, exitCode, message }: PodProblem): string {
  const where = [pod && `pod ${pod}`, container && `container ${container}`].filter(Boolean).join(', ');
  const what = [reason, exitCode !== undefined && `exit code ${exitCode}`].filter(Boolean).join(', ');
  // A termination message may be 4 KiB of stack trace; the first lines name the cause.
  const text = message?.trim().slice(0, 300);
  return `${where === '' ? '' : `${where}: `}${what}${text ? `: ${text}` : ''}`;
}
