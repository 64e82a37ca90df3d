import type { ConfigRollout } from '../../api/config-rollout.ts';
import {
  isDeletedName,
  knownLedger,
  type Ledger,
  type LedgerVersion,
  recordDeletions,
} from '../../core/version/ledger.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { versionsOfConfig } from '../cache/lookup.ts';
import type { Unsubscribe } from '../reconciler.ts';

/**
 * Versions whose deletion the watch has shown, until the ledger of their rollout records it. The ledger in the cache
 * may be older than the deletion, and the garbage collector deletes without a record. Their names must not be used
 * again in either case.
 */
export class SeenDeletions {
  readonly #cluster: ClusterCache;
  readonly #byRollout = new Map<string, Map<string, LedgerVersion>>();

  constructor(cluster: ClusterCache) {
    this.#cluster = cluster;
  }

  listen(): Unsubscribe[] {
    return Object.values(this.#cluster.configs).flatMap(
      (each) =>
        each?.subscribe(({ before, after }) => {
          const version = versionMetadata(before);
          // An object that was deleted and created again between two events has another uid.
          if (version === undefined || after?.uid === version.uid) return;
          const seen = this.#byRollout.get(version.rolloutUid) ?? new Map<string, LedgerVersion>();
          this.#byRollout.set(version.rolloutUid, seen.set(version.uid, version));
        }) ?? [],
    );
  }

  /** Returns the ledger that also records these deletions; undefined when it records all of them. */
  missingFrom(rollout: ConfigRollout): Ledger | undefined {
    const { uid = '', namespace = '' } = rollout.metadata;
    const { kind, name } = rollout.spec.config;
    const seen = this.#byRollout.get(uid);
    if (seen === undefined) return undefined;
    const ledger = knownLedger(rollout);
    for (const version of seen.values()) if (isDeletedName(ledger, version.name)) seen.delete(version.uid);
    if (seen.size > 0)
      return recordDeletions(
        ledger,
        [...seen.values()],
        versionsOfConfig(this.#cluster, namespace, kind, name),
      );
    this.#byRollout.delete(uid);
    return undefined;
  }
}
