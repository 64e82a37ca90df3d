import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { referenceKey } from '../cache/cluster-cache.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import type { ControllerContext } from '../context.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { patchVersionMetadata } from '../version/patch-version-metadata.ts';
import { isVersion, onReferenceChange } from '../version/reference-changes.ts';
import { AddedOwners, retryOwnerMs } from './added-owners.ts';
import { planOwnership } from './ownership-plan.ts';
import { versionUse } from './version-use.ts';

type Context = Pick<ControllerContext, 'client' | 'cluster' | 'clock'>;

/**
 * Adds the ReplicaSets and ControllerRevisions that reference a version as its owners, and labels the version while
 * it is in use. The patch that ends an activation does the same for its target; this reconciler does the rest. Keys are
 * versions: `namespace/ConfigMap/name`. Start the queue once the cache is in sync: without all pods in the cache, a
 * version in use could lose its label.
 */
export class Ownership implements Reconciler {
  readonly name = 'ownership';
  readonly delayMs = 50;
  readonly #context: Context;
  readonly #added = new AddedOwners();

  constructor(context: Context) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster } = this.#context;
    // Most changes of versions are own writes that leave nothing to do.
    const enqueueVersion = (metadata: ConfigMetadata) => {
      if (planOwnership(metadata, versionUse(cluster, metadata)) !== undefined)
        enqueue(referenceKey(metadata.namespace, metadata.kind, metadata.name));
    };
    const onConfig = ({ after }: { after?: ConfigMetadata }) => {
      if (after !== undefined && isVersion(after)) enqueueVersion(after);
    };
    /** The versions that the rollout wants, or wanted before. */
    const onRollout = (rollout: ConfigRollout | undefined) => {
      const cache = rollout && cluster.configs[rollout.spec.config.kind]?.cache;
      for (const key of cache?.keysBy('versionOf', rollout?.metadata.uid ?? '') ?? []) {
        const metadata = cache?.get(key);
        if (metadata !== undefined) enqueueVersion(metadata);
      }
    };
    return [
      ...onReferenceChange(cluster, enqueueVersion),
      ...Object.values(cluster.configs).flatMap((each) => each?.subscribe(onConfig) ?? []),
      cluster.rollouts.subscribe(({ before, after }) => {
        if (before === undefined || after === undefined || !wantsSame(before, after))
          onRollout(after ?? before);
      }),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { client, cluster, clock } = this.#context;
    const seen = this.#observe(key);
    if (seen === undefined) return undefined;
    const now = clock.monotonic();
    let isHeld = false;
    const wasAdded = (uid: string) => {
      const was = this.#added.wasAdded(key, uid, now);
      isHeld ||= was;
      return was;
    };
    const change = planOwnership(seen.metadata, versionUse(cluster, seen.metadata), wasAdded);
    if (change !== undefined) {
      await patchVersionMetadata(client, seen, change, signal);
      const known = new Set(seen.metadata.ownerReferences.map(({ uid }) => uid));
      const added = (change.ownerReferences ?? []).filter(({ uid }) => !known.has(uid));
      this.#added.note(
        key,
        added.map(({ uid }) => uid),
        now,
      );
    }
    return isHeld ? { requeueAfterMs: retryOwnerMs } : undefined;
  }

  #observe(key: string): { metadata: ConfigMetadata; resourceVersion: string } | undefined {
    const [namespace, kind, name] = key.split('/');
    const cache = this.#context.cluster.configs[kind as ConfigKind]?.cache;
    const metadata = cache?.get(`${namespace}/${name}`);
    const resourceVersion = cache?.versionOf(`${namespace}/${name}`);
    if (metadata === undefined || resourceVersion === undefined) return undefined;
    return isVersion(metadata) && !metadata.deleting ? { metadata, resourceVersion } : undefined;
  }
}

/** Whether two states of a rollout want the same versions. */
function wantsSame(before: ConfigRollout, after: ConfigRollout): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    before.spec.version === after.spec.version &&
    before.spec.release === after.spec.release &&
    before.status?.target?.object === after.status?.target?.object &&
    // An edit back to what is current starts no activation, and the version in between is wanted no longer.
    before.status?.observed?.liveVersion === after.status?.observed?.liveVersion
  );
}
