import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { workloadResources } from '@trimtab/kube/resource.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import { controllerManager, labels } from '../../api/names.ts';
import { writtenName } from '../../core/references/references.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { configNamed, workloadAt } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { Enqueue, Reconciler, Unsubscribe } from '../reconciler.ts';
import { giveBackFields, takeVersionsField } from './give-back-fields.ts';
import { OwnerDisputes } from './owner-disputes.ts';

/** Time until the owners of fields are changed again after the API server has refused it several times. */
const retryMs = 30_000;

/**
 * Gives references to whoever applies them, where a client owns them because of an update: Trimtab, when the controller
 * was killed before it gave them back, or a person who applied client-side or edited, when the reference now names a
 * version. Otherwise the next server-side apply would conflict with that client. Where admission writes versions into
 * pods, takes the annotation that assigns them from whoever applies the workload. Keys are workloads.
 *
 * A client that takes a reference back each time keeps it for longer and longer.
 */
export class FieldOwners implements Reconciler {
  readonly name = 'field-owners';
  /** A write that changed references gives them back itself, and knows their owners. */
  readonly delayMs = 2_000;
  readonly #context: ControllerContext;
  readonly #disputes: OwnerDisputes;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#disputes = new OwnerDisputes(context.clock);
  }

  listen(enqueue: Enqueue): Unsubscribe[] {
    const onWorkload = ({ before, after }: Change<Workload>) => {
      if (after === undefined) {
        if (before !== undefined) this.#disputes.forget(keyOf(before));
        return;
      }
      if (!this.#hasWork(after)) return;
      const key = keyOf(after);
      // The next apply of that manager removes the annotation, and new pods run the live config.
      if (isVersionsFieldApplied(after)) enqueue(key, 0);
      else enqueue(key, Math.max(this.delayMs, this.#taken(after).leftMs));
    };
    return Object.values(this.#context.cluster.workloads).map((each) => each.subscribe(onWorkload));
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { client, cluster } = this.#context;
    const [namespace = '', ...rest] = key.split('/');
    const workload = workloadAt(cluster, namespace, rest.join('/'));
    if (workload === undefined || workload.deleting || !this.#hasWork(workload)) return undefined;
    const { kind, name, uid } = workload;
    const live = await getIfExists(client, workloadResources[kind], { namespace, name }, { signal });
    if (live?.metadata.uid !== uid) return undefined;
    const now = reduceWorkload(kind)(live);
    const { pointers, managers, leftMs } = this.#taken(now);
    const changes = [
      ...(isVersionsFieldApplied(now)
        ? [await takeVersionsField(this.#context, workload, live, signal)]
        : []),
      ...(pointers.length > 0
        ? [await giveBackFields(this.#context, workload, live, { pointers }, signal)]
        : []),
    ];
    if (!changes.every(Boolean)) return { requeueAfterMs: retryMs };
    this.#disputes.lost(key, managers);
    return pointers.length === 0 && leftMs > 0 ? { requeueAfterMs: leftMs } : undefined;
  }

  /**
   * The references to give back now, and who loses them. When there are none, `leftMs` is the time until there are: their
   * managers have taken them back soon after they had lost them.
   */
  #taken(workload: Workload): { pointers: string[]; managers: Set<string>; leftMs: number } {
    const taken = this.#updated(workload).map((pointer) => {
      const { isOwn = false, updaters = [] } = workload.owners.get(pointer) ?? {};
      const leftMs = isOwn ? 0 : this.#disputes.leftMs(keyOf(workload), updaters);
      return { pointer, leftMs, others: updaters.filter((manager) => manager !== controllerManager) };
    });
    const now = taken.filter(({ leftMs }) => leftMs === 0);
    return {
      pointers: now.map(({ pointer }) => pointer),
      managers: new Set(now.flatMap(({ others }) => others)),
      leftMs: taken.length === 0 ? 0 : Math.min(...taken.map(({ leftMs }) => leftMs)),
    };
  }

  #hasWork(workload: Workload): boolean {
    return this.#updated(workload).length > 0 || isVersionsFieldApplied(workload);
  }

  /**
   * References that Trimtab owns because of an update, whatever they name: an opt-out writes the config itself, and
   * removes the label. Of those that another client owns, the ones that Trimtab has changed.
   */
  #updated(workload: Workload): string[] {
    const { namespace, references, owners } = workload;
    const { cluster } = this.#context;
    return references.flatMap((reference) => {
      const { pointer } = reference;
      const owned = owners.get(pointer);
      const isVersion = () => configNamed(cluster, namespace, reference) !== writtenName(reference);
      const isChanged = owned?.isUpdated && isAssigned(workload) && isVersion();
      return owned?.isOwn || isChanged ? [pointer] : [];
    });
  }
}

function keyOf({ namespace, kind, name }: Workload): string {
  return `${namespace}/${workloadKey(kind, name)}`;
}

/** A manager that applies the workload owns the annotation in which Trimtab has assigned versions. */
function isVersionsFieldApplied(workload: Workload): boolean {
  return isAssigned(workload) && workload.isVersionsApplied;
}

/** Trimtab has assigned versions to the workload. */
function isAssigned({ labels: its }: Workload): boolean {
  return its[labels.assigned] !== undefined;
}
