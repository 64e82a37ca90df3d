import type { ReportedPod } from '../../api/reload-report.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import type { Acknowledgement } from './read-acknowledgement.ts';

/**
 * What the pods of one workload have reported to this gateway. Entries are kept by uid of the pod: the newest report of a
 * pod counts, and a refused version stays refused until the pod reports about another one.
 */
export class WorkloadReport {
  readonly #pods = new Map<string, ReportedPod>();
  /** The last write failed, so what was noted before it is not written. */
  #isUnwritten = false;

  /** Returns whether the report has to be written. */
  note(pod: { name: string; uid: string }, config: ConfigKey, said: Acknowledgement): boolean {
    const { name, uid } = pod;
    const before = this.#pods.get(uid);
    if (before !== undefined && before.sequence > said.sequence) return false;
    const runs = (before?.runs ?? []).filter((each) => each.config !== config);
    const refused = (before?.refused ?? []).filter((each) => each.config !== config);
    const { object, reason } = said;
    const ran = before?.runs.find((each) => each.config === config);
    const after: ReportedPod =
      said.result === 'Acknowledged'
        ? entry({ name, uid, sequence: said.sequence }, [...runs, { config, object }], refused)
        : entry(
            { name, uid, sequence: said.sequence },
            [...runs, ...(ran ? [ran] : [])],
            [...refused, { config, object, reason }],
          );
    const isNew = this.#isUnwritten || before === undefined || !sameFacts(before, after);
    this.#isUnwritten = false;
    if (isNew) this.#pods.set(uid, after);
    return isNew;
  }

  /** The next report of any pod is to be written, even when it says nothing new. */
  fail(): void {
    this.#isUnwritten = true;
  }

  /** Returns whether the pod was in the report. */
  forget(uid: string): boolean {
    return this.#pods.delete(uid);
  }

  get isEmpty(): boolean {
    return this.#pods.size === 0;
  }

  pods(): ReportedPod[] {
    return [...this.#pods.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function entry(
  pod: Pick<ReportedPod, 'name' | 'uid' | 'sequence'>,
  runs: ReportedPod['runs'],
  refused: NonNullable<ReportedPod['refused']>,
): ReportedPod {
  const byConfig = (a: { config: string }, b: { config: string }) => (a.config < b.config ? -1 : 1);
  return {
    ...pod,
    runs: runs.sort(byConfig),
    ...(refused.length > 0 && { refused: refused.sort(byConfig) }),
  };
}

/** A report that says the same again needs no write, so its sequence number does not matter. */
function sameFacts(one: ReportedPod, other: ReportedPod): boolean {
  return JSON.stringify([one.runs, one.refused]) === JSON.stringify([other.runs, other.refused]);
}
