import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ReloadReport, ReportedPod } from '../../api/reload-report.ts';
import { type WorkloadKey, workloadKey } from '../../core/workload/workload-key.ts';
import type { ClusterCache } from './cluster-cache.ts';

/** What the agents of a workload have told one gateway. */
export interface Report {
  namespace: string;
  name: string;
  uid: string;
  workload: WorkloadKey;
  pods: readonly ReportedPod[];
}

export function report(object: KubeObject): Report {
  const { metadata, spec } = object as ReloadReport;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    workload: workloadKey(spec.workload.kind, spec.workload.name),
    pods: spec.pods,
  };
}

export function reportsOf(cluster: ClusterCache, namespace: string, workload: WorkloadKey): Report[] {
  const cache = cluster.reports?.cache;
  return [...(cache?.keysBy('workload', `${namespace}/${workload}`) ?? [])].flatMap(
    (key) => cache?.get(key) ?? [],
  );
}
