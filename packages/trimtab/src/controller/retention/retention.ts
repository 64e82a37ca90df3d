import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import { historyLimitOf, planRetention, type RetentionPlan } from '../../core/retention/retention.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { rolloutWithUid } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { isOvertaken } from '../version/patch-version-metadata.ts';
import { onReferenceChange } from '../version/reference-changes.ts';
import { retentionWrites } from './retention-writes.ts';
import { type ObservedVersion, observeVersions } from './rollout-versions.ts';

type Context = Pick<ControllerContext, 'client' | 'cluster' | 'log'>;

/**
 * Keeps the history of each ConfigRollout within its limit. A key is a ConfigRollout. Start its queue once the
 * cache is in sync. It goes by the label `in-use` that Ownership writes, too: alone it deletes nothing that
 * was ever in use.
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
      // A rollout that is not known yet is looked at when it comes.
      const rollout = uid === undefined ? undefined : rolloutWithUid(cluster, uid);
      if (rollout !== undefined) enqueue(`${rollout.metadata.namespace}/${rollout.metadata.name}`);
    };
    return [
      cluster.rollouts.subscribe(({ key }) => enqueue(key)),
      ...onReferenceChange(cluster, enqueueVersion),
      ...Object.values(cluster.configs).flatMap(
        (each) => each?.subscribe(({ before, after }) => enqueueVersion(after ?? before)) ?? [],
      ),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<undefined> {
    const seen = this.#context.cluster.rollouts.cache.get(key);
    if (seen === undefined || isEmpty(this.#plan(seen))) return;
    const rollout = await this.#reread(seen, signal);
    if (rollout === undefined) return;
    const writes = retentionWrites(this.#context, rollout, signal);
    const errors: unknown[] = [];
    for (const job of jobs) {
      for (const { metadata } of this.#plan(rollout)[job]) {
        // Planned anew just before: the writes until then took time, and somebody may use the version by now.
        const version = this.#plan(rollout)[job].find((each) => each.metadata.uid === metadata.uid);
        // One version that can't be written must not keep the others from their turn.
        if (version && !isOvertaken(version.metadata))
          await writes[job](version).catch((error: unknown) => errors.push(error));
      }
    }
    if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
  }

  #plan(rollout: ConfigRollout): RetentionPlan<ObservedVersion> {
    return planRetention(observeVersions(this.#context.cluster, rollout), historyLimitOf(rollout.spec));
  }

  /**
   * The rollout as it is on the server, because the cache may not know what was just asked for. Undefined when
   * it is being deleted: the garbage collector is at its versions then, and giving an owner back to one that
   * was orphaned would be the end of it.
   */
  async #reread({ metadata }: ConfigRollout, signal: AbortSignal): Promise<ConfigRollout | undefined> {
    const { namespace = '', name = '', uid } = metadata;
    try {
      const rollout = await this.#context.client.get<ConfigRollout>(
        configRollouts,
        { namespace, name },
        { signal, lowPriority: true },
      );
      const deleting = rollout.metadata.deletionTimestamp !== undefined;
      return rollout.metadata.uid === uid && !deleting ? rollout : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** What keeps comes before what lets go. */
const jobs = ['own', 'release', 'delete'] as const;

function isEmpty(plan: RetentionPlan<unknown>): boolean {
  return jobs.every((job) => plan[job].length === 0);
}
