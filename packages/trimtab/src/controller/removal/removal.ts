import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { planRemoval } from '../../core/retention/unused-rollout.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { configMetadataOf, keyOfRollout, originalName, rolloutOf, rolloutWithUid } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { onReferrerChange } from '../version/reference-changes.ts';
import { liveUse } from './live-use.ts';
import { rolloutUse } from './rollout-use.ts';

type Context = Pick<ControllerContext, 'client' | 'cluster' | 'log' | 'clock'>;

/**
 * Deletes a ConfigRollout that was unused without interruption for `afterMs`; the garbage collector then deletes its
 * versions. Keys are rollouts. The times are kept in memory: a new leader waits anew, so a rollout is deleted only by
 * a controller that has watched it all the time.
 */
export class Removal implements Reconciler {
  readonly name = 'removal';
  /** Each removal lists a namespace. Removals are rare and never urgent. */
  readonly concurrency = 1;
  readonly delayMs = 500;
  readonly #context: Context;
  readonly #afterMs: number;
  /** Rollout uid → since when it is unused, on the monotonic clock. */
  readonly #unusedSince = new Map<string, number>();

  constructor(context: Context, afterMs: number) {
    this.#context = context;
    this.#afterMs = afterMs;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster } = this.#context;
    const enqueueRollout = ({ metadata }: ConfigRollout) => enqueue(`${metadata.namespace}/${metadata.name}`);
    /** A use that ends before the queue gets to its rollout interrupts the wait all the same. */
    const interrupt = ({ metadata }: ConfigRollout) => this.#unusedSince.delete(metadata.uid ?? '');
    const onConfig = ({ before, after }: Change<ConfigMetadata>) => {
      const metadata = after ?? before;
      if (metadata === undefined) return;
      const uid = metadata.labels[labels.versionOf];
      const rollout =
        uid === undefined
          ? rolloutOf(cluster, metadata.namespace, metadata.kind, metadata.name)
          : rolloutWithUid(cluster, uid);
      if (rollout === undefined) return;
      if (uid === undefined && after !== undefined) interrupt(rollout);
      else enqueueRollout(rollout);
    };
    const rolloutsOf = (namespace: string, kind: ConfigKind, name: string) => {
      const config = originalName(cluster, namespace, kind, name);
      const uid = configMetadataOf(cluster, namespace, kind, name)?.labels[labels.versionOf];
      const found = [rolloutOf(cluster, namespace, kind, config), rolloutWithUid(cluster, uid ?? '')];
      return new Set(found.filter((each) => each !== undefined));
    };
    return [
      cluster.rollouts.subscribe(({ key, before, after }) => {
        if (after === undefined) this.#unusedSince.delete(before?.metadata.uid ?? '');
        else enqueue(key);
      }),
      ...Object.values(cluster.configs).flatMap((each) => each?.subscribe(onConfig) ?? []),
      ...onReferrerChange(cluster, ({ namespace, references }, isThere) => {
        for (const { kind, name } of references)
          for (const rollout of rolloutsOf(namespace, kind, name)) {
            if (isThere) interrupt(rollout);
            else enqueueRollout(rollout);
          }
      }),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { cluster, clock } = this.#context;
    const rollout = cluster.rollouts.cache.get(key);
    if (rollout === undefined || rollout.metadata.deletionTimestamp !== undefined) return undefined;
    const { uid = '' } = rollout.metadata;
    const since = this.#unusedSince.get(uid);
    const times = { since, now: clock.monotonic(), afterMs: this.#afterMs };
    const planned = planRemoval(rolloutUse(cluster, rollout), times);
    switch (planned.plan) {
      case 'keep':
        this.#unusedSince.delete(uid);
        return undefined;
      case 'wait':
        this.#unusedSince.set(uid, planned.since);
        return { requeueAfterMs: planned.leftMs };
      case 'remove':
        return this.#remove(rollout, times, signal);
    }
  }

  async #remove(
    seen: ConfigRollout,
    times: Parameters<typeof planRemoval>[1],
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    const { client, log } = this.#context;
    const { namespace = '', name = '', uid = '' } = seen.metadata;
    const where = { namespace, name };
    const rollout = await getIfExists<ConfigRollout>(client, configRollouts, where, {
      signal,
      lowPriority: true,
    });
    if (rollout?.metadata.uid !== uid || rollout.metadata.deletionTimestamp !== undefined) return undefined;
    if (planRemoval(await liveUse(client, rollout, signal), times).plan !== 'remove') {
      this.#unusedSince.delete(uid);
      return { staleCache: true };
    }
    // A use that the watches delivered during these reads.
    if (!this.#unusedSince.has(uid)) return { staleCache: true };
    const { resourceVersion = '' } = rollout.metadata;
    try {
      await client.delete(configRollouts, where, {
        preconditions: { uid, resourceVersion },
        propagationPolicy: 'Background',
        signal,
        lowPriority: true,
      });
      log.info(
        { object: { kind: configRollouts.kind, metadata: where }, config: keyOfRollout(rollout) },
        'ConfigRollout and its versions deleted; the config is gone and nothing references its versions',
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  }
}
