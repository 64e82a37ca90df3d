import type { ReportedPod } from '../../api/reload-report.ts';

/** Merges reports by uid of the pod: of two entries, the one with the higher sequence number counts. */
export function mergeReports(reports: readonly { pods: readonly ReportedPod[] }[]): Map<string, ReportedPod> {
  const merged = new Map<string, ReportedPod>();
  for (const pod of reports.flatMap(({ pods }) => pods))
    if (pod.sequence >= (merged.get(pod.uid)?.sequence ?? Number.NEGATIVE_INFINITY)) merged.set(pod.uid, pod);
  return merged;
}
