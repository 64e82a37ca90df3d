import { compareVersions, isComparable } from '@trimtab/kube/watch/resource-version.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';

/**
 * The last status that was written of each rollout. Watches are not in step with each other: a look that knows the
 * newest labels of versions and an old status would take back what has just been done.
 */
export class StatusWrites {
  readonly #versions = new Map<string, string>();

  note({ metadata }: ConfigRollout): void {
    const { uid = '', resourceVersion = '' } = metadata;
    if (isComparable(resourceVersion)) this.#versions.set(uid, resourceVersion);
  }

  /** Whether this rollout, as the cache has it, is from before our last write. */
  areAheadOf({ metadata }: ConfigRollout): boolean {
    const { uid = '', resourceVersion = '' } = metadata;
    const written = this.#versions.get(uid);
    if (written === undefined) return false;
    if (isComparable(resourceVersion) && compareVersions(resourceVersion, written) < 0) return true;
    this.#versions.delete(uid);
    return false;
  }
}
