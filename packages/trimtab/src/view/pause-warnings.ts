import type { ConfigRollout } from '../api/config-rollout.ts';
import { intervalLeftMs } from '../core/activation/too-early.ts';
import { reloaderKeys } from '../core/from-reloader/annotations.ts';
import { parsePausePeriod } from '../core/from-reloader/pause-period.ts';
import { managedWorkloads } from '../core/workload/managed-workloads.ts';
import { workloadKey, workloadText } from '../core/workload/workload-key.ts';
import type { ActivationPlan, PlanInput, PlannedObject } from './activation-plan.ts';

/**
 * Warns of edits that Reloader's pause period of a Deployment may keep out of the activation: a plan does not know whether
 * the controller reads the annotations of Reloader.
 */
export function pauseWarnings(input: PlanInput, together: ActivationPlan['together']): string[] {
  return together.flatMap(({ kind, name, version }) => {
    const member = input.others.find(({ spec: { config } }) => config.kind === kind && config.name === name);
    // What a person has requested, and what is being rolled out, does not wait.
    if (member === undefined || member.spec.version !== undefined || member.status?.target !== undefined)
      return [];
    return pausing(input, member).map(
      (workload) =>
        `Version ${version} of ${kind} ${name} may be activated later than this one: the pause period of ${workload} (${reloaderKeys.pausePeriod}) has not passed`,
    );
  });
}

/** The workloads of the rollout whose pause period has not passed. */
function pausing({ rollout, others, workloads, now }: PlanInput, member: ConfigRollout): string[] {
  const managed = new Set(managedWorkloads(member));
  return workloads.flatMap(({ kind, metadata }: PlannedObject) => {
    const key = workloadKey(kind, metadata.name ?? '');
    if (!managed.has(key)) return [];
    const period = parsePausePeriod({ kind, annotations: metadata.annotations ?? {} });
    if (!('value' in period) || period.value === 0) return [];
    const managing = [rollout, ...others].filter((each) => managedWorkloads(each).includes(key));
    return intervalLeftMs(managing, period.value, now) > 0 ? [workloadText(key)] : [];
  });
}
