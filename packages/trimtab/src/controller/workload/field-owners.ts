import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { workloadResources } from '@trimtab/kube/resource.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import { labels } from '../../api/names.ts';
import { writtenName } from '../../core/references/references.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { configNamed, workloadAt } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { Enqueue, Reconciler, Unsubscribe } from '../reconciler.ts';
import { giveBackFields, takeVersionsField } from './give-back-fields.ts';

/** Time until the owners of fields are changed again after the API server has refused it several times. */
const retryMs = 30_000;

/**
 * Gives references to whoever applies them, where a client owns them because of an update: Trimtab, when the controller
 * was killed before it gave them back, or a person who applied client-side or edited, when the reference now names a
 * version. Otherwise the next server-side apply would conflict with that client. Where admission writes versions into
 * pods, takes the annotation that assigns them from whoever applies the workload. Keys are workloads.
 */
export class FieldOwners implements Reconciler {
  readonly name = 'field-owners';
  /** A write that changed references gives them back itself, and knows their owners. */
  readonly delayMs = 2_000;
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: Enqueue): Unsubscribe[] {
    const onWorkload = ({ after }: Change<Workload>) => {
      if (after === undefined || !this.#hasWork(after)) return;
      const key = `${after.namespace}/${workloadKey(after.kind, after.name)}`;
      // The next apply of that manager removes the annotation, and new pods run the live config.
      if (isVersionsFieldApplied(after)) enqueue(key, 0);
      else enqueue(key);
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
    const pointers = this.#updated(now);
    const changes = [
      ...(isVersionsFieldApplied(now)
        ? [await takeVersionsField(this.#context, workload, live, signal)]
        : []),
      ...(pointers.length > 0
        ? [await giveBackFields(this.#context, workload, live, { pointers }, signal)]
        : []),
    ];
    return changes.every(Boolean) ? undefined : { requeueAfterMs: retryMs };
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

/** A manager that applies the workload owns the annotation in which Trimtab has assigned versions. */
function isVersionsFieldApplied(workload: Workload): boolean {
  return isAssigned(workload) && workload.isVersionsApplied;
}

/** Trimtab has assigned versions to the workload. */
function isAssigned({ labels: its }: Workload): boolean {
  return its[labels.assigned] !== undefined;
}
