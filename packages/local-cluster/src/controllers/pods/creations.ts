import type { Clock } from '@trimtab/kube/clock.ts';
import type { Pod } from '../../objects/pod.ts';

/** A pod that does not appear in this time was created and deleted while the watch was interrupted. */
const rememberedMs = 5 * 60_000;

/**
 * Pods that a controller has created and its cache does not show yet. A cache usually shows new pods immediately, but
 * not while its watch restarts: a controller that counts its pods at that moment would create them a second time.
 */
export class Creations {
  readonly #clock: Clock;
  readonly #cached: (key: string) => Pod | undefined;
  /** By the owner's UID, then by the pod's UID. */
  readonly #unseen = new Map<string, Map<string, { pod: Pod; until: number }>>();

  constructor(clock: Clock, cached: (key: string) => Pod | undefined) {
    this.#clock = clock;
    this.#cached = cached;
  }

  add(owner: string, pod: Pod): void {
    if (this.#isSeen(pod)) return;
    const ofOwner = this.#unseen.get(owner) ?? new Map();
    this.#unseen.set(owner, ofOwner);
    ofOwner.set(pod.metadata.uid ?? '', { pod, until: this.#clock.monotonic() + rememberedMs });
  }

  /** The owner's pods that the cache does not show yet. */
  unseenOf(owner: string): Pod[] {
    const ofOwner = this.#unseen.get(owner);
    if (ofOwner === undefined) return [];
    const now = this.#clock.monotonic();
    for (const [uid, { pod, until }] of ofOwner) if (until <= now || this.#isSeen(pod)) ofOwner.delete(uid);
    if (ofOwner.size === 0) this.#unseen.delete(owner);
    return [...ofOwner.values()].map(({ pod }) => pod);
  }

  /** Called when the watch reports a pod, or its deletion. */
  forget(owner: string, uid: string): void {
    const ofOwner = this.#unseen.get(owner);
    if (ofOwner?.delete(uid) && ofOwner.size === 0) this.#unseen.delete(owner);
  }

  #isSeen({ metadata }: Pod): boolean {
    return this.#cached(`${metadata.namespace}/${metadata.name}`)?.metadata.uid === metadata.uid;
  }
}
