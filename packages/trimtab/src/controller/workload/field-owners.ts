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
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { giveBackFields, takeVersionsField } from './give-back-fields.ts';

/**
 * Gives references that name a version to whoever applies them, where a client owns them because of an update: a person
 * who applied client-side or edited, or Trimtab, when the controller was killed before it gave them back. Otherwise the
 * next server-side apply would conflict with that client. Where admission writes versions into pods, takes the annotation
 * that assigns them from whoever applies the workload. Keys are workloads.
 */
export class FieldOwners implements Reconciler {
  readonly name = 'field-owners';
  /** A write that changed references gives them back itself, and knows their owners. */
  readonly delayMs = 2_000;
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const onWorkload = ({ after }: Change<Workload>) => {
      if (after === undefined || !this.#hasWork(after)) return;
      enqueue(`${after.namespace}/${workloadKey(after.kind, after.name)}`);
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
    if (pointers.length > 0) await giveBackFields(this.#context, workload, live, { pointers }, signal);
    if (isAssigned(now) && now.isVersionsApplied)
      await takeVersionsField(this.#context, workload, live, signal);
    return undefined;
  }

  #hasWork(workload: Workload): boolean {
    return this.#updated(workload).length > 0 || (isAssigned(workload) && workload.isVersionsApplied);
  }

  /** References that Trimtab has changed, and that a client owns because of an update. */
  #updated(workload: Workload): string[] {
    const { namespace, references, owners } = workload;
    const { cluster } = this.#context;
    if (!isAssigned(workload)) return [];
    return references.flatMap((reference) => {
      const { pointer } = reference;
      const isVersion = configNamed(cluster, namespace, reference) !== writtenName(reference);
      return isVersion && owners.get(pointer)?.isUpdated ? [pointer] : [];
    });
  }
}

/** Trimtab has assigned versions to the workload. */
function isAssigned({ labels: its }: Workload): boolean {
  return its[labels.assigned] !== undefined;
}
