import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import { historyLimitOf, planRetention, type RetentionPlan } from '../../core/retention/retention.ts';
import {
  isDeletedName,
  knownLedger,
  ledgerOf,
  rebuildLedger,
  recordDeletions,
} from '../../core/version/ledger.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { existingVersions, rolloutsSharingWorkloads, rolloutWithUid } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { onReferenceChange } from '../version/reference-changes.ts';
import { writeCachedLedger } from '../version/write-cached-ledger.ts';
import { retentionWrites } from './retention-writes.ts';
import { type ObservedVersion, observeVersions } from './rollout-versions.ts';

type Context = Pick<ControllerContext, 'client' | 'cluster' | 'log'>;

/**
 * Keeps the history of each ConfigRollout within its limit. Keys are rollouts. Start the queue once the cache is in
 * sync. Retention also respects the label `in-use` that Ownership writes and removes: without Ownership it deletes no
 * version that was ever in use.
 */
export class Retention implements Reconciler {
  readonly name = 'retention';
  readonly delayMs = 500;
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster } = this.#context;
    const enqueueVersion = (metadata: ConfigMetadata | undefined) => {
      const uid = metadata?.labels[labels.versionOf];
      // A rollout that is not in the cache yet is enqueued when it arrives.
      const rollout = uid === undefined ? undefined : rolloutWithUid(cluster, uid);
      if (rollout !== undefined) enqueue(`${rollout.metadata.namespace}/${rollout.metadata.name}`);
    };
    return [
      cluster.rollouts.subscribe(({ key, before, after }) => {
        enqueue(key);
        if (before?.status?.target === undefined || after?.status?.target !== undefined) return;
        // Versions that its workloads would have been reverted to, of all their configs, are not needed any more.
        for (const other of rolloutsSharingWorkloads(cluster, before))
          enqueue(`${other.metadata.namespace}/${other.metadata.name}`);
      }),
      ...onReferenceChange(cluster, enqueueVersion),
      ...Object.values(cluster.configs).flatMap(
        (each) => each?.subscribe(({ before, after }) => enqueueVersion(after ?? before)) ?? [],
      ),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<undefined> {
    const { cluster } = this.#context;
    const seen = cluster.rollouts.cache.get(key);
    if (seen === undefined) return;
    const unrecorded = cluster.seenDeletions.unrecorded(seen.metadata.uid, knownLedger(seen));
    if (isEmpty(this.#plan(seen)) && unrecorded.length === 0) return;
    const live = await this.#reread(seen, signal);
    if (live === undefined) return;
    const rollout = await this.#recordDeletions(live, signal);
    const ledger = knownLedger(rollout);
    const writes = retentionWrites(this.#context, rollout, signal);
    const errors: unknown[] = [];
    for (const job of jobs) {
      for (const { metadata } of this.#plan(rollout)[job]) {
        // Planned again before each write: earlier writes took time, and the version may be in use now.
        const version = this.#plan(rollout)[job].find((each) => each.metadata.uid === metadata.uid);
        // A version that has become superfluous since then is not in the ledger; the next reconciliation records it.
        if (job !== 'own' && !isDeletedName(ledger, version?.name ?? '')) continue;
        // A failed write must not prevent the writes to other versions.
        if (version !== undefined) await writes[job](version).catch((error: unknown) => errors.push(error));
      }
    }
    if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
  }

  /** No version goes before the ledger remembers its name: neither by deletion nor with its last revision. */
  async #recordDeletions(rollout: ConfigRollout, signal: AbortSignal): Promise<ConfigRollout> {
    const { client, cluster } = this.#context;
    const existing = existingVersions(cluster, rollout);
    const before = ledgerOf(rollout);
    const known = typeof before === 'string' ? rebuildLedger(existing) : before;
    const plan = this.#plan(rollout);
    const unrecorded = cluster.seenDeletions.unrecorded(rollout.metadata.uid, known);
    const going = [...unrecorded, ...plan.delete, ...plan.release];
    return writeCachedLedger(client, rollout, recordDeletions(known, going, existing), signal);
  }

  #plan(rollout: ConfigRollout): RetentionPlan<ObservedVersion> {
    return planRetention(observeVersions(this.#context.cluster, rollout), historyLimitOf(rollout.spec));
  }

  /**
   * Reads the rollout from the API server, because the cache may not contain the latest request. Returns undefined
   * when the rollout is being deleted: the garbage collector then processes its versions, and a version that was
   * orphaned would be deleted if it got its owner back.
   */
  async #reread({ metadata }: ConfigRollout, signal: AbortSignal): Promise<ConfigRollout | undefined> {
    const { namespace = '', name = '', uid } = metadata;
    const rollout = await getIfExists<ConfigRollout>(
      this.#context.client,
      configRollouts,
      { namespace, name },
      { signal, lowPriority: true },
    );
    const deleting = rollout?.metadata.deletionTimestamp !== undefined;
    return rollout?.metadata.uid === uid && !deleting ? rollout : undefined;
  }
}

/** Writes that keep versions come before writes that delete them. */
const jobs = ['own', 'release', 'delete'] as const;

function isEmpty(plan: RetentionPlan<unknown>): boolean {
  return jobs.every((job) => plan[job].length === 0);
}
