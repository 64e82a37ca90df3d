import { isDeepStrictEqual } from 'node:util';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { type Resource, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
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

/** A kind whose objects the controller reads as ReplicaSets. */
export interface ReplicaSetKind {
  /** Name of the controller. */
  name: string;
  resource: Resource;
  sets: Informer<ReplicaSet>;
  /** Converts a ReplicaSet to an object of the kind. */
  stored(set: ReplicaSet): KubeObject;
  /** Whether the status of the kind counts terminating pods. */
  countsTerminating: boolean;
}

/** Keeps the desired number of pods running for each ReplicaSet. */
export function replicaSetController(context: ControllerContext): LocalController {
  return new ReplicaSetController(context, {
    name: 'replicaset-controller',
    resource: replicaSets,
    sets: context.informers.of(replicaSets),
    stored: (set) => set,
    countsTerminating: true,
  });
}

export class ReplicaSetController implements LocalController {
  readonly name: string;
  readonly #context: ControllerContext;
  readonly #kind: ReplicaSetKind;
  readonly #sets: Informer<ReplicaSet>;
  readonly #pods: OwnedPods<ReplicaSet>;

  constructor(context: ControllerContext, kind: ReplicaSetKind) {
    this.name = kind.name;
    this.#context = context;
    this.#kind = kind;
    this.#sets = kind.sets;
    this.#pods = new OwnedPods(context, kind.resource, this.#sets);
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    return [this.#sets.subscribe(({ key }) => enqueue(key)), this.#pods.listen(enqueue)];
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const set = this.#sets.get(key);
    if (set === undefined) return undefined;
    const { deletionTimestamp } = set.metadata;
    const mine = await this.#pods.of(set, (pod) => isActive(pod) && !this.#pods.isGoing(pod));
    const adjusted: Adjusted =
      deletionTimestamp === undefined ? await this.#adjust(set, mine) : { made: [], deleted: [] };
    const gone = new Set(adjusted.deleted);
    const active = [...mine.filter((pod) => !gone.has(pod)), ...adjusted.made];
    const now = this.#context.clock.now();
    const status = replicaSetStatus(
      set,
      { active, terminating: this.#terminating(set), ...(adjusted.failure && { failure: adjusted.failure }) },
      now,
    );
    if (!isDeepStrictEqual(status, set.status)) await this.#writeStatus({ ...set, status });
    if (adjusted.error !== undefined) throw adjusted.error;
    return whenAvailable(active, set.spec.minReadySeconds ?? 0, now);
  }

  async #writeStatus(set: ReplicaSet): Promise<void> {
    const { resource, stored } = this.#kind;
    await this.#context.client.update(resource, stored(set), { subresource: 'status' });
  }

  async #adjust(set: ReplicaSet, mine: readonly Pod[]): Promise<Adjusted> {
    const { clock, recordEvent } = this.#context;
    const { resource } = this.#kind;
    const means: PodWriters = {
      resource,
      pods: this.#pods,
      recordEvent: (type, reason, message) => recordEvent(referenceTo(resource, set), type, reason, message),
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

  #terminating(set: ReplicaSet): number | undefined {
    if (!this.#kind.countsTerminating) return undefined;
    const mine = this.#pods.controlledBy(set.metadata.uid ?? '');
    return mine.filter((pod) => this.#isTerminating(set, pod)).length;
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
