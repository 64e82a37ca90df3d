import type { Change } from '@trimtab/kube/watch/store.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { isDeletedName, knownLedger, type Ledger, type LedgerVersion } from '../../core/version/ledger.ts';
import { type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';
import type { ConfigMetadata } from './configs.ts';

/**
 * Versions whose deletion the watch has shown, until the ledger of their rollout records it. The ledger in the cache
 * may be older than the deletion, and the garbage collector deletes without a record. Their names must not be used
 * again in either case.
 */
export class SeenDeletions {
  readonly #byRollout = new Map<string, Map<string, LedgerVersion>>();
  readonly #isRollout: (uid: string) => boolean;

  /** `isRollout`: whether a rollout with this uid exists. The versions of a deleted rollout have no name to keep. */
  constructor(isRollout: (uid: string) => boolean) {
    this.#isRollout = isRollout;
  }

  /** Call for each change of version objects. */
  noteVersion({ before, after }: Change<ConfigMetadata>): void {
    const version = versionMetadata(before);
    // An object that was deleted and created again between two events has another uid.
    if (version === undefined || after?.uid === version.uid || !this.#isRollout(version.rolloutUid)) return;
    const seen = this.#byRollout.get(version.rolloutUid) ?? new Map<string, LedgerVersion>();
    this.#byRollout.set(version.rolloutUid, seen.set(version.uid, version));
  }

  /** Call for each change of rollouts. Deletions that the ledger records are forgotten. */
  noteRollout({ before, after }: Change<ConfigRollout>): void {
    const uid = after?.metadata.uid ?? '';
    if (before !== undefined && before.metadata.uid !== uid)
      this.#byRollout.delete(before.metadata.uid ?? '');
    const seen = this.#byRollout.get(uid);
    if (after === undefined || seen === undefined) return;
    const ledger = knownLedger(after);
    for (const version of seen.values()) if (isDeletedName(ledger, version.name)) seen.delete(version.uid);
    if (seen.size === 0) this.#byRollout.delete(uid);
  }

  /** Whether another version with the name of this one was deleted before: then this one is void. */
  isVoid({ rolloutUid, name, uid }: Pick<VersionMetadata, 'rolloutUid' | 'name' | 'uid'>): boolean {
    const seen = this.#byRollout.get(rolloutUid);
    if (seen === undefined) return false;
    return [...seen.values()].some((deleted) => deleted.name === name && deleted.uid !== uid);
  }

  /** Returns the deletions that the ledger of the rollout does not record. */
  unrecorded(rolloutUid: string | undefined, ledger: Ledger): LedgerVersion[] {
    const seen = [...(this.#byRollout.get(rolloutUid ?? '')?.values() ?? [])];
    return seen.filter(({ name }) => !isDeletedName(ledger, name));
  }
}
