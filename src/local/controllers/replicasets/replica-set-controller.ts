import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../../../kube/queue/outcome.ts';
import { pods, replicaSets } from '../../../kube/resource.ts';
import { labelsMatch } from '../../apiserver/selector/object-selector.ts';
import type { Pod } from '../../objects/pod.ts';
import type { ReplicaSet } from '../../objects/workloads.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import { referenceTo } from '../host/reference-to.ts';
import { carryOutClaim } from '../pods/carry-out-claim.ts';
import { claim, controllerOf } from '../pods/claim.ts';
import { Creations } from '../pods/creations.ts';
import { Deletions } from '../pods/deletions.ts';
import { keysOfOwners } from '../pods/keys-of-owners.ts';
import { availableInMs, isActive } from '../pods/pod-state.ts';
import { type Adjusted, deletePods, makePods } from './adjust-pods.ts';
import { podsToDelete } from './deletion-order.ts';
import { replicaSetStatus } from './replica-set-status.ts';

/** At most so many pods are made or deleted before the next look. */
const burst = 500;

/** Keeps as many pods of each ReplicaSet as it asks for. */
export function replicaSetController(context: ControllerContext): LocalController {
  return new ReplicaSetController(context);
}

class ReplicaSetController implements LocalController {
  readonly name = 'replicaset-controller';
  readonly #context: ControllerContext;
  readonly #sets: Informer<ReplicaSet>;
  readonly #pods: Informer<Pod>;
  readonly #creations: Creations;
  readonly #deletions: Deletions;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#sets = context.informers.of(replicaSets);
    this.#pods = context.informers.of(pods);
    this.#creations = new Creations(context.clock, (key) => this.#pods.get(key));
    this.#deletions = new Deletions(context.client);
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    return [
      this.#sets.subscribe(({ key }) => enqueue(key)),
      this.#pods.subscribe(({ before, after }) => {
        const uid = (after ?? before)?.metadata.uid ?? '';
        if (after === undefined || after.metadata.deletionTimestamp !== undefined)
          this.#deletions.forget(uid);
        const owner = before && controllerOf(before);
        if (owner !== undefined) this.#creations.forget(owner.uid, uid);
        for (const key of keysOfOwners('ReplicaSet', { before, after }, this.#sets)) enqueue(key);
      }),
    ];
  }

  async reconcile(key: string): Promise<Outcome | undefined> {
    const set = this.#sets.get(key);
    if (set === undefined) return undefined;
    const { uid = '', namespace = '', deletionTimestamp } = set.metadata;
    const known = [...this.#pods.controlledBy(uid), ...this.#pods.orphansIn(namespace)];
    const here = known.filter((pod) => isActive(pod) && !this.#deletions.isGoing(pod));
    const parties = { owner: set, ownerResource: replicaSets, resource: pods };
    const claimed = await carryOutClaim(this.#context.client, parties, claim(set, set.spec.selector, here));
    const mine = [...claimed, ...this.#creations.unseenOf(uid)];
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
    return nextLook(active, set.spec.minReadySeconds ?? 0, now);
  }

  async #adjust(set: ReplicaSet, mine: readonly Pod[]): Promise<Adjusted> {
    const { client, clock, tell } = this.#context;
    const means = {
      client,
      creations: this.#creations,
      deletions: this.#deletions,
      tell: (type: 'Normal' | 'Warning', reason: string, message: string) =>
        tell(referenceTo(replicaSets, set), type, reason, message),
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
      this.#deletions.isGoing(pod) &&
      phase !== 'Succeeded' &&
      phase !== 'Failed' &&
      labelsMatch(spec.selector, pod.metadata.labels ?? {})
    );
  }
}

/** When the next Ready pod has been so for long enough. */
function nextLook(active: readonly Pod[], minReadySeconds: number, now: number): Outcome | undefined {
  const waits = active.flatMap((pod) => availableInMs(pod, minReadySeconds, now) || []);
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
}
