import { isRolledOut, isWorkload, referencesOf, type Workload, type World, wantsPods } from '../world.ts';
import type { Step } from './checker.ts';

interface WorkloadPast {
  /** Its pods have matched the template and been available since then. Undefined: they are not. */
  wellSince: number | undefined;
  /** When its references changed last. */
  movedAt: number;
  /** When its spec changed last without a change of references: it was scaled or restarted. */
  changedAt: number;
  /** When it last wanted no pods. */
  emptyAt: number;
  /** All objects that it has referenced. */
  named: Set<string>;
}

/** What has happened to each workload of a timeline. */
export class WorkloadHistory {
  readonly #pasts = new Map<string, WorkloadPast>();
  /** When a workload was deleted last. */
  goneAt = Number.NEGATIVE_INFINITY;

  observe({ entry, before }: Step): void {
    const { key, kind, gone, at, notBefore } = entry;
    if (!isWorkload(kind)) return;
    if (gone) {
      this.#pasts.delete(key);
      this.goneAt = at;
      return;
    }
    const workload = entry.object as Workload;
    const references = referencesOf(workload);
    const past = this.#pasts.get(key) ?? {
      wellSince: undefined,
      movedAt: at,
      changedAt: Number.NEGATIVE_INFINITY,
      emptyAt: Number.NEGATIVE_INFINITY,
      named: new Set(),
    };
    const same = before !== undefined && `${referencesOf(before)}` === `${references}`;
    if (!same) past.movedAt = at;
    else if (before.metadata.generation !== workload.metadata.generation) past.changedAt = at;
    if (!wantsPods(workload)) past.emptyAt = at;
    if (!isRolledOut(workload)) past.wellSince = undefined;
    else if (!same || past.wellSince === undefined) past.wellSince = notBefore;
    for (const each of references) past.named.add(each);
    this.#pasts.set(key, past);
  }

  of(key: string): Readonly<WorkloadPast> | undefined {
    return this.#pasts.get(key);
  }

  hasNamed(key: string, object: string): boolean {
    return this.#pasts.get(key)?.named.has(object) ?? false;
  }

  /** Whether a workload that `names` one version now was moved to `version` before: another client took it away. */
  hasLeft(key: string, names: string, version: string, world: World): boolean {
    return names !== version && world.version(names) !== undefined && this.hasNamed(key, version);
  }
}
