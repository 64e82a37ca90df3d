import type { KubeClient } from '@trimtab/kube/client.ts';
import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type ReloadReport, type ReportedPod, reloadReports } from '../../api/reload-report.ts';
import { mergeReports } from '../../core/reload/merge-reports.ts';
import { listPermitted } from './list-permitted.ts';

interface ListedPods<Pod> {
  pods: Pod[];
  /** What the agents of reloaded pods have reported, by the uid of the pod. */
  reported: Map<string, ReportedPod>;
  /** Resources that the client may not list: without reports, a reloaded pod counts for the version that it started with. */
  hidden: string[];
}

/** Lists the pods of a namespace and the reports of their agents. Returns undefined when the client may not list pods. */
export async function listPods<Pod extends KubeObject>(
  client: KubeClient,
  namespace: string,
  signal?: AbortSignal,
): Promise<ListedPods<Pod> | undefined> {
  const options = { namespace, ...(signal !== undefined && { signal }) };
  const [found, reports] = await Promise.all([
    listPermitted<Pod>(client, pods, options),
    listPermitted<ReloadReport>(client, reloadReports, options),
  ]);
  if (found === undefined) return undefined;
  return {
    pods: found,
    reported: mergeReports((reports ?? []).map(({ spec }) => spec)),
    hidden: reports === undefined ? [`${reloadReports.plural}.${reloadReports.group}`] : [],
  };
}
