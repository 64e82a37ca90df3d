import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { apiVersion } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { type ReloadReport, reloadReports } from '../../api/reload-report.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import { shortHash } from '../../core/version/object-names.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import type { Acknowledgement } from './read-acknowledgement.ts';
import { WorkloadReport } from './workload-report.ts';

/** The workload of a pod that reports. */
export interface ReportingWorkload {
  namespace: string;
  kind: WorkloadKind;
  name: string;
  uid: string;
}

interface Pending {
  workload: ReportingWorkload;
  report: WorkloadReport;
  /** The write that will contain everything that was noted so far. */
  next: Promise<void> | undefined;
  /** The write that is under way. */
  current: Promise<void> | undefined;
  writtenAt: number;
}

export interface ReportWriterOptions {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  /** Identifies this process among the gateways. */
  gateway: string;
}

/** Reports of one workload are written at most this often. The first one is written at once. */
const intervalMs = 1_000;

/** Gathers what agents report, and writes one ReloadReport for each workload. */
export class ReportWriter {
  readonly #options: ReportWriterOptions;
  readonly #pending = new Map<string, Pending>();

  constructor(options: ReportWriterOptions) {
    this.#options = options;
  }

  /** Notes a report. The promise resolves when it is written, and rejects when the write failed. */
  async note(
    workload: ReportingWorkload,
    pod: { name: string; uid: string },
    config: ConfigKey,
    said: Acknowledgement,
  ): Promise<void> {
    const key = `${workload.namespace}/${workload.kind}/${workload.name}`;
    let pending = this.#pending.get(key);
    if (pending === undefined || pending.workload.uid !== workload.uid) {
      pending = {
        workload,
        report: new WorkloadReport(),
        next: undefined,
        current: undefined,
        writtenAt: Number.NEGATIVE_INFINITY,
      };
      this.#pending.set(key, pending);
    }
    const isNew = pending.report.note(pod, config, said);
    if (isNew) pending.next ??= this.#writeSoon(pending);
    // A repeated report waits for the write that contains it, if that has not finished.
    await (pending.next ?? pending.current);
  }

  /** A pod was deleted. The next write of its workload no longer contains it; a workload without pods is forgotten. */
  forget(uid: string | undefined): void {
    if (uid === undefined) return;
    for (const [key, { report, next }] of this.#pending)
      if (report.forget(uid) && report.isEmpty && next === undefined) this.#pending.delete(key);
  }

  #writeSoon(pending: Pending): Promise<void> {
    const { clock, log } = this.#options;
    const waitMs = Math.max(0, pending.writtenAt + intervalMs - clock.monotonic());
    return new Promise((resolve, reject) => {
      clock.after(waitMs, () => {
        pending.current = pending.next;
        pending.next = undefined;
        pending.writtenAt = clock.monotonic();
        this.#write(pending).then(resolve, (err: unknown) => {
          const { namespace, kind, name } = pending.workload;
          log.warn({ object: { kind, namespace, name }, err }, 'writing the report of a workload failed');
          // The next report of any of these pods writes them all.
          pending.report.fail();
          reject(err);
        });
      });
    });
  }

  async #write({ workload, report }: Pending): Promise<void> {
    const { client, gateway } = this.#options;
    const { namespace, kind, name, uid } = workload;
    const spec: ReloadReport['spec'] = { workload: { kind, name }, gateway, pods: report.pods() };
    const own = `${kind.toLowerCase()}-${name}`.slice(0, 200);
    const where = { namespace, name: `${own}-${shortHash(`${uid} ${gateway}`)}` };
    try {
      await client.patch(reloadReports, where, { type: 'merge', body: { spec } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const owner = { apiVersion: 'apps/v1', kind, name, uid };
      const metadata = { ...where, ownerReferences: [owner] };
      await client.create(reloadReports, {
        apiVersion: apiVersion(reloadReports),
        kind: reloadReports.kind,
        metadata,
        spec,
      } as ReloadReport);
    }
  }
}
