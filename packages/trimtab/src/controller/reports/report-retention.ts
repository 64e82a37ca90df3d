import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { pods } from '@trimtab/kube/resource.ts';
import { isConflict, isNotFound } from '@trimtab/kube/transport/errors.ts';
import { type ReportedPod, reloadReports } from '../../api/reload-report.ts';
import { mergeReports } from '../../core/reload/merge-reports.ts';
import { type Report, reportsOf } from '../cache/reports.ts';
import type { ControllerContext } from '../context.ts';
import type { Enqueue, Reconciler, Unsubscribe } from '../reconciler.ts';

type Context = Pick<ControllerContext, 'client' | 'cluster'>;

/**
 * Deletes reports that say nothing any more: all their pods are gone, or have reported to another gateway since. Each
 * gateway process writes its own reports, so they would accumulate with every restart of a gateway. Keys are reports.
 */
export class ReportRetention implements Reconciler {
  readonly name = 'reports';
  readonly delayMs = 5_000;
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  listen(enqueue: Enqueue): Unsubscribe[] {
    const { cluster } = this.#context;
    const enqueueAll = ({ namespace, workload }: Report) => {
      for (const { name } of reportsOf(cluster, namespace, workload)) enqueue(`${namespace}/${name}`);
    };
    return [
      ...(cluster.reports
        ? [
            cluster.reports.subscribe(({ after }) => {
              if (after !== undefined) enqueueAll(after);
            }),
          ]
        : []),
      cluster.pods.subscribe(({ before, after }) => {
        if (!before?.isInjected || after !== undefined) return;
        for (const key of cluster.reports?.cache.keysBy('pod', before.uid) ?? []) enqueue(key);
      }),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<undefined> {
    const { client, cluster } = this.#context;
    const report = cluster.reports?.cache.get(key);
    if (report === undefined) return;
    const { namespace, name, uid } = report;
    const others = reportsOf(cluster, namespace, report.workload).filter((each) => each.name !== name);
    const newest = onlyHere(report, others);
    const isSeen = (pod: ReportedPod) => cluster.pods.cache.get(`${namespace}/${pod.name}`)?.uid === pod.uid;
    if (newest.some(isSeen)) return;
    for (const pod of newest) if (await this.#exists(namespace, pod, signal)) return;
    try {
      await client.delete(reloadReports, { namespace, name }, { preconditions: { uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** The cache may not contain a new pod yet. */
  async #exists(namespace: string, { name, uid }: ReportedPod, signal: AbortSignal): Promise<boolean> {
    const options = { projection: 'metadata' as const, signal };
    const found = await getIfExists(this.#context.client, pods, { namespace, name }, options);
    return found?.metadata.uid === uid;
  }
}

/** The pods whose newest report is in this object. */
function onlyHere(report: Pick<Report, 'pods'>, others: readonly Pick<Report, 'pods'>[]): ReportedPod[] {
  const elsewhere = mergeReports(others);
  return report.pods.filter(
    ({ uid, sequence }) => sequence > (elsewhere.get(uid)?.sequence ?? Number.NEGATIVE_INFINITY),
  );
}
