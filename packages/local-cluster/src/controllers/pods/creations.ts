import type { Clock } from '@trimtab/kube/clock.ts';
import type { Pod } from '../../objects/pod.ts';

/** A pod that was never seen by then came and went while the watch was broken. */
const rememberedMs = 5 * 60_000;

/**
 * Pods that a controller has made and its cache does not show yet. A cache usually learns of them at once; not while
 * its watch is being renewed, and a controller that counted its pods then would make them a second time.
 */
export class Creations {
  readonly #clock: Clock;
  readonly #cached: (key: string) => Pod | undefined;
  /** By the owner's UID, then by the pod's. */
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

  /** What the owner has, beyond what the cache shows. */
  unseenOf(owner: string): Pod[] {
    const ofOwner = this.#unseen.get(owner);
    if (ofOwner === undefined) return [];
    const now = this.#clock.monotonic();
    for (const [uid, { pod, until }] of ofOwner) if (until <= now || this.#isSeen(pod)) ofOwner.delete(uid);
    if (ofOwner.size === 0) this.#unseen.delete(owner);
    return [...ofOwner.values()].map(({ pod }) => pod);
  }

  /** Called when the watch tells of a pod, or that it is gone. */
  forget(owner: string, uid: string): void {
    const ofOwner = this.#unseen.get(owner);
    if (ofOwner?.delete(uid) && ofOwner.size === 0) this.#unseen.delete(owner);
  }

  #isSeen({ metadata }: Pod): boolean {
    return this.#cached(`${metadata.namespace}/${metadata.name}`)?.metadata.uid === metadata.uid;
  }
}
