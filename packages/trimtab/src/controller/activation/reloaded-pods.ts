import type { ReportedPod } from '../../api/reload-report.ts';
import type { Refusal, WorkloadPod } from '../../core/activation/types.ts';
import type { ManagedReferences } from '../../core/references/assignment.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import { mergeReports } from '../../core/reload/merge-reports.ts';
import type { Pod } from '../../core/workload/observe-pod.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { podsOf } from '../cache/lookup.ts';
import { reportsOf } from '../cache/reports.ts';
import type { ControllerContext } from '../context.ts';

/**
 * Returns the pods of a workload whose pods are reloaded. A pod runs what its agent has reported. Until the first report
 * it runs the versions that it was created with, which `created` reads from its spec.
 */
export function reloadedPods(
  { cluster }: Pick<ControllerContext, 'cluster'>,
  workload: Workload,
  created: (pod: Pod) => ManagedReferences,
): WorkloadPod[] {
  const key = workloadKey(workload.kind, workload.name);
  const reported = mergeReports(reportsOf(cluster, workload.namespace, key));
  return podsOf(cluster, workload).map((pod) => {
    const report = reported.get(pod.uid);
    const references = created(pod);
    if (!pod.isInjected) return { ...pod, references };
    const agent = { hasReported: report !== undefined, refusals: refusalsOf(report) };
    return { ...pod, references: overlaid(references, report), agent };
  });
}

function overlaid(created: ManagedReferences, report: ReportedPod | undefined): ManagedReferences {
  const runs = new Map(report?.runs.map(({ config, object }) => [config as ConfigKey, object]));
  return new Map([...created].map(([config, object]) => [config, runs.get(config) ?? object]));
}

function refusalsOf(report: ReportedPod | undefined): Map<ConfigKey, Refusal> {
  return new Map(
    report?.refused?.map(({ config, object, reason }) => [config as ConfigKey, { object, reason }]),
  );
}
