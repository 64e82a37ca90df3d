import { pods, type Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { LabelSelector } from '../../apiserver/selector/object-selector.ts';
import type { Pod } from '../../objects/pod.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext } from '../host/local-controller.ts';
import { carryOutClaim } from './carry-out-claim.ts';
import { claim, controllerOf } from './claim.ts';
import { Creations } from './creations.ts';
import { Deletions } from './deletions.ts';
import { keysOfOwners } from './keys-of-owners.ts';

export interface PodOwner extends KubeObject {
  spec: { selector: LabelSelector };
}

/** The pods of all owners of one kind. Accounts for creations and deletions that the cache does not show yet. */
export class OwnedPods<T extends PodOwner> {
  readonly #context: ControllerContext;
  readonly #resource: Resource;
  readonly #owners: Informer<T>;
  readonly #pods: Informer<Pod>;
  readonly #creations: Creations;
  readonly #deletions: Deletions;

  constructor(context: ControllerContext, resource: Resource, owners: Informer<T>) {
    this.#context = context;
    this.#resource = resource;
    this.#owners = owners;
    this.#pods = context.informers.of(pods);
    this.#creations = new Creations(context.clock, (key) => this.#pods.get(key));
    this.#deletions = new Deletions(context.client);
  }

  /** Calls `enqueue` with the keys of owners whose pods have changed. */
  listen(enqueue: (key: string) => void): () => void {
    return this.#pods.subscribe(({ before, after }) => {
      const uid = (after ?? before)?.metadata.uid ?? '';
      if (after === undefined || after.metadata.deletionTimestamp !== undefined) this.#deletions.forget(uid);
      const owner = before && controllerOf(before);
      if (owner !== undefined) this.#creations.forget(owner.uid, uid);
      for (const key of keysOfOwners(this.#resource.kind, { before, after }, this.#owners)) enqueue(key);
    });
  }

  /** All pods of the owner, including terminating ones. `mayBe` selects the pods that the owner may claim. */
  async of(owner: T, mayBe: (pod: Pod) => boolean = () => true): Promise<Pod[]> {
    const { uid = '', namespace = '' } = owner.metadata;
    const candidates = [...this.#pods.controlledBy(uid), ...this.#pods.orphansIn(namespace)].filter(mayBe);
    const parties = { owner, ownerResource: this.#resource, resource: pods };
    const claims = claim(owner, owner.spec.selector, candidates);
    const claimed = await carryOutClaim(this.#context.client, parties, claims);
    return [...claimed, ...this.#creations.unseenOf(uid)];
  }

  /** Pods whose controller has this UID, whether or not its selector matches them. */
  controlledBy(uid: string): Pod[] {
    return this.#pods.controlledBy(uid);
  }

  /** Whether the pod is terminating, or its deletion was requested. */
  isGoing(pod: Pod): boolean {
    return this.#deletions.isGoing(pod);
  }

  async create(owner: T, pod: Pod): Promise<Pod> {
    const made = await this.#context.client.create(pods, pod);
    this.#creations.add(owner.metadata.uid ?? '', made);
    return made;
  }

  delete(pod: Pod): Promise<void> {
    return this.#deletions.delete(pod);
  }
}
