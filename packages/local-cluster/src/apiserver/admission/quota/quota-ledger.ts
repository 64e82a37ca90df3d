import type { Clock } from '@trimtab/kube/clock.ts';
import { timestamp } from '../../../objects/timestamp.ts';
import { type Charge, charge } from '../../../quotas/charge.ts';
import type { ResourceQuota as Quota } from '../../../quotas/quota-object.ts';
import { StatusError } from '../../errors/status-error.ts';
import { type ResourceQuota, resourceQuota } from '../../kinds/core/resource-quota.ts';
import { trackWrite } from '../../managed-fields/track-write.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';

interface Waiting {
  write: Charge;
  /** Checked against the quotas, but not charged. */
  dryRun: boolean;
  done(refused?: string): void;
  failed(error: unknown): void;
}

/** Conflicts are rare: apart from this ledger, only the quota controller writes the status, after deletions. */
const maxAttempts = 20;

/**
 * Charges writes to the quotas of their namespace, in the order of arrival. Writes that arrive during an update of the
 * quotas are charged together in the next one, so a burst of pods costs one update per batch and not one per pod.
 */
export class QuotaLedger {
  readonly #storage: ObjectStorage;
  readonly #clock: Clock;
  /** Queued writes by namespace. A namespace has an entry while its queue is being processed. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(storage: ObjectStorage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Resolves when the write is charged, or with the reason why it exceeds a quota. */
  charge(namespace: string, write: Charge, dryRun: boolean): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const waiting = { write, dryRun, done: resolve, failed: reject };
      const others = this.#waiting.get(namespace);
      if (others !== undefined) {
        others.push(waiting);
        return;
      }
      this.#waiting.set(namespace, [waiting]);
      void this.#work(namespace);
    });
  }

  async #work(namespace: string): Promise<void> {
    for (;;) {
      const round = this.#waiting.get(namespace) ?? [];
      if (round.length === 0) break;
      this.#waiting.set(namespace, []);
      try {
        await this.#settle(namespace, round);
      } catch (error) {
        for (const { failed } of round) failed(error);
      }
    }
    this.#waiting.delete(namespace);
  }

  async #settle(namespace: string, round: readonly Waiting[]): Promise<void> {
    let open = round;
    // A quota that is already charged is not charged again when the update of another one conflicts.
    const paid = new Set<string>();
    for (let attempt = 1; open.length > 0; attempt++) {
      const found = (this.#storage.all(resourceQuota, namespace) as ResourceQuota[]).filter(
        ({ metadata }) => !paid.has(metadata.uid ?? ''),
      );
      const { quotas, accepted } = this.#chargeAll(found, open);
      let conflict: unknown;
      for (const [index, quota] of quotas.entries()) {
        const before = found[index];
        if (before === undefined || quota === before) continue;
        const error = await this.#write(before, quota as ResourceQuota);
        if (error === undefined) paid.add(before.metadata.uid ?? '');
        else conflict = error;
      }
      if (conflict === undefined) {
        for (const { done } of accepted) done();
        return;
      }
      if (attempt === maxAttempts) throw conflict;
      open = accepted;
    }
  }

  /** Computes the charged quotas. Refused writes and dry runs are resolved at once. */
  #chargeAll(
    found: readonly Quota[],
    open: readonly Waiting[],
  ): { quotas: readonly Quota[]; accepted: Waiting[] } {
    const now = this.#clock.now();
    const accepted: Waiting[] = [];
    let quotas = found;
    for (const waiting of open) {
      const outcome = charge(quotas, waiting.write, now);
      if ('refused' in outcome) waiting.done(outcome.refused);
      else if (waiting.dryRun) waiting.done();
      else {
        quotas = outcome.quotas;
        accepted.push(waiting);
      }
    }
    return { quotas, accepted };
  }

  /** Returns the conflict when the quota changed concurrently. A deleted quota needs no update. */
  async #write(before: ResourceQuota, quota: ResourceQuota): Promise<StatusError | undefined> {
    const after = { ...quota, metadata: { ...quota.metadata } };
    const time = timestamp(this.#clock.now());
    trackWrite(
      { kind: resourceQuota, subresource: 'status', manager: 'kube-apiserver', time },
      before,
      after,
    );
    try {
      await this.#storage.update(resourceQuota, after, Number(before.metadata.resourceVersion));
      return undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.status.reason === 'NotFound') return undefined;
      if (error.status.reason === 'Conflict') return error;
      throw error;
    }
  }
}
