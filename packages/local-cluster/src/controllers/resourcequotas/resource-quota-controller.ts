import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { pods, type Resource, resourceQuotas, services } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Pod } from '../../objects/pod.ts';
import type { Service } from '../../objects/service.ts';
import { sameAmounts } from '../../quotas/amounts.ts';
import { namesFor, usageOf } from '../../quotas/counted.ts';
import type { GroupResource, ResourceQuota } from '../../quotas/quota-object.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import { collectionName, countedCollections } from './counted-collections.ts';
import { CountingWatches } from './counting-watches.ts';
import { type Collection, planQuotaStatus } from './plan-quota-status.ts';

type Quota = KubeObject & ResourceQuota;

/** The resync period of Kubernetes' quota controller. A resync corrects usage whose events were missed. */
const resyncMs = 5 * 60_000;
/** Retry interval while a counted kind is not served: its CustomResourceDefinition may be created at any time. */
const unservedMs = 30_000;

/**
 * Delay after a change of the quota. Objects that admission has charged reach the caches in this time; an earlier
 * recount would drop their charge.
 */
const settleMs = 100;

/** Recounts the usage of quotas. Admission charges new objects; this controller releases the charge of deleted ones. */
export class ResourceQuotaController implements LocalController {
  readonly name = 'resourcequota-controller';
  readonly #context: ControllerContext;
  readonly #quotas: Informer<Quota>;
  readonly #pods: Informer<Pod>;
  readonly #services: Informer<Service>;
  readonly #counting: CountingWatches;
  /** Key → when its quota was last observed to change. */
  readonly #changed = new Map<string, number>();
  /** Key → when the last exact count ran, that is, a count that may decrease usage. */
  readonly #exact = new Map<string, number>();
  #enqueue: (key: string) => void = () => {};

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#quotas = context.informers.of<Quota>(resourceQuotas);
    this.#pods = context.informers.of<Pod>(pods);
    this.#services = context.informers.of<Service>(services);
    this.#counting = new CountingWatches({
      client: context.client,
      log: context.log,
      onChange: (resource, namespace, what) => this.#recount(resource, namespace, what === 'came'),
    });
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    this.#enqueue = enqueue;
    return [
      this.#quotas.subscribe(({ key, before, after }) => {
        if (after === undefined) this.#changed.delete(key);
        else if (before !== undefined) this.#changed.set(key, this.#context.clock.monotonic());
        if (JSON.stringify(before?.spec) !== JSON.stringify(after?.spec)) {
          this.#exact.delete(key);
          enqueue(key);
        }
      }),
      this.#follow(this.#pods, pods),
      this.#follow(this.#services, services),
      () => this.#counting.close(),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const quota = this.#quotas.get(key);
    if (quota === undefined) return undefined;
    const { namespace = '' } = quota.metadata;
    const unsettledMs =
      (this.#changed.get(key) ?? Number.NEGATIVE_INFINITY) + settleMs - this.#context.clock.monotonic();
    if (quota.status?.hard !== undefined && unsettledMs > 0) return { requeueAfterMs: unsettledMs };
    const now = this.#context.clock.monotonic();
    // Set before the count: a deletion during the count removes the entry again and triggers another exact count.
    const onlyMore = now < (this.#exact.get(key) ?? Number.NEGATIVE_INFINITY) + resyncMs;
    if (!onlyMore) this.#exact.set(key, now);
    try {
      return await this.#count(quota, namespace, onlyMore, signal);
    } catch (error) {
      if (!onlyMore) this.#exact.delete(key);
      throw error;
    }
  }

  async #count(
    quota: Quota,
    namespace: string,
    onlyMore: boolean,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const found = await Promise.all(
      countedCollections(quota).map((resource) => this.#collection(resource, namespace, signal)),
    );
    const known = found.filter((each) => each !== undefined);
    const status = planQuotaStatus(
      { ...quota, status: quota.status ?? {} },
      known,
      this.#context.clock.now(),
      onlyMore,
    );
    if (status !== undefined)
      await this.#context.client.update(resourceQuotas, { ...quota, status }, { subresource: 'status' });
    return { requeueAfterMs: known.length === found.length ? resyncMs : unservedMs };
  }

  async #collection(
    resource: GroupResource,
    namespace: string,
    signal: AbortSignal,
  ): Promise<Collection | undefined> {
    const name = collectionName(resource);
    if (name === 'pods') return { resource, objects: this.#pods.inNamespace(namespace) };
    if (name === 'services') return { resource, objects: this.#services.inNamespace(namespace) };
    const count = await this.#counting.count(resource, namespace, signal);
    return count === undefined ? undefined : { resource, objects: Array.from({ length: count }, () => ({})) };
  }

  /** Recounts when an object is created or deleted, and when its usage changes. */
  #follow<T extends KubeObject>(informer: Informer<T>, resource: Resource): () => void {
    return informer.subscribe(({ before, after }) => {
      const { namespace = '' } = (after ?? before)?.metadata ?? {};
      if (this.#quotas.inNamespace(namespace).length === 0) return;
      const isSame = before && after && this.#takesTheSame(resource, before, after);
      if (!isSame) this.#recount(resource, namespace, before === undefined);
    });
  }

  #takesTheSame(resource: Resource, before: KubeObject, after: KubeObject): boolean {
    const deadline = (object: KubeObject) => (object as unknown as Pod).spec.activeDeadlineSeconds;
    const now = this.#context.clock.now();
    return (
      deadline(before) === deadline(after) &&
      sameAmounts(usageOf(resource, before, now), usageOf(resource, after, now))
    );
  }

  /** After a creation, other charged objects may not be in the cache yet, so `onlyMore` keeps usage from decreasing. */
  #recount(resource: GroupResource, namespace: string, onlyMore: boolean): void {
    for (const { metadata, spec } of this.#quotas.inNamespace(namespace)) {
      if (namesFor(resource, Object.keys(spec.hard ?? {})).length === 0) continue;
      const key = `${namespace}/${metadata.name}`;
      if (!onlyMore) this.#exact.delete(key);
      this.#enqueue(key);
    }
  }
}
