import { compareVersions } from './resource-version.ts';

/**
 * Own writes that the cache does not contain yet: key → resourceVersion. Only writes that succeed while the watch is
 * being reopened or synced are remembered; all others enter the cache with their response.
 */
export class OwnWrites {
  readonly #versions = new Map<string, string>();

  add(key: string, version: string): void {
    const known = this.#versions.get(key);
    if (known === undefined || compareVersions(known, version) < 0) this.#versions.set(key, version);
  }

  /** `cached` is the version in the cache, and `mark` the version up to which the cache equals the server. */
  isMissing(key: string, cached: string | undefined, mark: string | undefined): boolean {
    const written = this.#versions.get(key);
    if (written === undefined) return false;
    const isSeen = [cached, mark].some(
      (version) => version !== undefined && compareVersions(version, written) >= 0,
    );
    if (isSeen) this.#versions.delete(key);
    return !isSeen;
  }

  /**
   * Call it when a sync begins, and the returned function when that sync is complete: a sync contains all writes from
   * before it began, whatever their versions. Versions decrease after a restore of etcd.
   */
  syncStarts(): () => void {
    const before = [...this.#versions];
    return () => {
      for (const [key, version] of before)
        if (this.#versions.get(key) === version) this.#versions.delete(key);
    };
  }
}
