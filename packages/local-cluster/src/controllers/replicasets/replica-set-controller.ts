import { isDeepStrictEqual } from 'node:util';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { replicaSets } from '@trimtab/kube/resource.ts';
import { labelsMatch } from '../../apiserver/selector/object-selector.ts';
import type { Pod } from '../../objects/pod.ts';
import type { ReplicaSet } from '../../objects/workloads.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import { referenceTo } from '../host/reference-to.ts';
import { controllerOf } from '../pods/claim.ts';
import { OwnedPods } from '../pods/owned-pods.ts';
import { isActive } from '../pods/pod-state.ts';
import { whenAvailable } from '../pods/when-available.ts';
import { type Adjusted, deletePods, makePods, type PodWriters } from './adjust-pods.ts';
import { podsToDelete } from './deletion-order.ts';
import { replicaSetStatus } from './replica-set-status.ts';

/** Maximum number of pods to create or delete in one reconcile. */
const burst = 500;

/** Keeps the desired number of pods running for each ReplicaSet. */
export function replicaSetController(context: ControllerContext): LocalController {
  return new ReplicaSetController(context);
}

class ReplicaSetController implements LocalController {
  readonly name = 'replicaset-controller';
  readonly #context: ControllerContext;
  readonly #sets: Informer<ReplicaSet>;
  readonly #pods: OwnedPods<ReplicaSet>;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#sets = context.informers.of(replicaSets);
    this.#pods = new OwnedPods(context, replicaSets, this.#sets);
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    return [this.#sets.subscribe(({ key }) => enqueue(key)), this.#pods.listen(enqueue)];
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const set = this.#sets.get(key);
    if (set === undefined) return undefined;
    const { uid = '', deletionTimestamp } = set.metadata;
    const mine = await this.#pods.of(set, (pod) => isActive(pod) && !this.#pods.isGoing(pod));
    const adjusted: Adjusted =
      deletionTimestamp === undefined ? await this.#adjust(set, mine) : { made: [], deleted: [] };
    const gone = new Set(adjusted.deleted);
    const active = [...mine.filter((pod) => !gone.has(pod)), ...adjusted.made];
    const now = this.#context.clock.now();
    const terminating = this.#pods.controlledBy(uid).filter((pod) => this.#isTerminating(set, pod)).length;
    const status = replicaSetStatus(
      set,
      { active, terminating, ...(adjusted.failure && { failure: adjusted.failure }) },
      now,
    );
    if (!isDeepStrictEqual(status, set.status))
      await this.#context.client.update(replicaSets, { ...set, status }, { subresource: 'status' });
    if (adjusted.error !== undefined) throw adjusted.error;
    return whenAvailable(active, set.spec.minReadySeconds ?? 0, now);
  }

  async #adjust(set: ReplicaSet, mine: readonly Pod[]): Promise<Adjusted> {
    const { clock, recordEvent } = this.#context;
    const means: PodWriters = {
      pods: this.#pods,
      recordEvent: (type, reason, message) =>
        recordEvent(referenceTo(replicaSets, set), type, reason, message),
    };
    const surplus = mine.length - set.spec.replicas;
    if (surplus < 0) return makePods(means, set, Math.min(-surplus, burst));
    if (surplus === 0) return { made: [], deleted: [] };
    const chosen = podsToDelete(mine, this.#familyOf(set), Math.min(surplus, burst), clock.now());
    return deletePods(means, chosen);
  }

  /** The pods of all ReplicaSets of the same Deployment. */
  #familyOf(set: ReplicaSet): Pod[] {
    const owner = controllerOf(set);
    if (owner === undefined) return [];
    return this.#sets
      .controlledBy(owner.uid)
      .flatMap(({ metadata }) => this.#pods.controlledBy(metadata.uid ?? ''));
  }

  #isTerminating({ spec }: ReplicaSet, pod: Pod): boolean {
    const phase = pod.status?.phase;
    return (
      this.#pods.isGoing(pod) &&
      phase !== 'Succeeded' &&
      phase !== 'Failed' &&
      labelsMatch(spec.selector, pod.metadata.labels ?? {})
    );
  }
}
