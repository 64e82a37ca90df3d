/** How long an owner that was added and is missing again is taken for deleted. */
export const retryOwnerMs = 60_000;

/**
 * The owners that were added to versions in the last minute. The garbage collector removes owners that no longer exist.
 * If one of these is missing again, the cache of revisions is stale, and adding the owner again would only start a race
 * with the garbage collector.
 */
export class AddedOwners {
  /** Version and uid of the owner → monotonic time, in the order of the time. */
  readonly #added = new Map<string, number>();

  note(version: string, uids: readonly string[], now: number): void {
    for (const [key, at] of this.#added) {
      if (now - at < retryOwnerMs) break;
      this.#added.delete(key);
    }
    for (const uid of uids) {
      const key = `${version} ${uid}`;
      this.#added.delete(key);
      this.#added.set(key, now);
    }
  }

  wasAdded(version: string, uid: string, now: number): boolean {
    const at = this.#added.get(`${version} ${uid}`);
    return at !== undefined && now - at < retryOwnerMs;
  }
}
