import type { ConfigKind } from '../../core/references/references.ts';
import { referenceKey } from '../cache/cluster-cache.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import type { ControllerContext } from '../context.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { isOvertaken, patchVersionMetadata } from '../version/patch-version-metadata.ts';
import { isVersion, onReferenceChange } from '../version/reference-changes.ts';
import { versionUsers } from '../version/version-users.ts';
import { planOwnership } from './ownership-plan.ts';

type Context = Pick<ControllerContext, 'client' | 'cluster'>;

/**
 * Sees to it that each version is owned by the ReplicaSets and ControllerRevisions that name it, and labelled
 * while anything does. A key is a version: `namespace/ConfigMap/name`. Start its queue once the cache is in
 * sync: a pod that is not known yet would cost its version the label.
 */
export class Ownership implements Reconciler {
  readonly name = 'ownership';
  readonly delayMs = 50;
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster } = this.#context;
    const enqueueVersion = (metadata: ConfigMetadata) =>
      enqueue(referenceKey(metadata.namespace, metadata.kind, metadata.name));
    const onConfig = ({ after }: { after?: ConfigMetadata }) => {
      if (after !== undefined && isVersion(after)) enqueueVersion(after);
    };
    return [
      ...onReferenceChange(cluster, enqueueVersion),
      ...Object.values(cluster.configs).flatMap((each) => each?.subscribe(onConfig) ?? []),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<undefined> {
    const { client, cluster } = this.#context;
    const seen = this.#observe(key);
    if (seen === undefined) return;
    const change = planOwnership(seen.metadata, versionUsers(cluster, seen.metadata));
    if (change !== undefined) await patchVersionMetadata(client, seen, change, signal);
  }

  #observe(key: string): { metadata: ConfigMetadata; resourceVersion: string } | undefined {
    const [namespace, kind, name] = key.split('/');
    const cache = this.#context.cluster.configs[kind as ConfigKind]?.cache;
    const metadata = cache?.get(`${namespace}/${name}`);
    const resourceVersion = cache?.versionOf(`${namespace}/${name}`);
    if (metadata === undefined || resourceVersion === undefined) return undefined;
    return isVersion(metadata) && !metadata.deleting && !isOvertaken(metadata)
      ? { metadata, resourceVersion }
      : undefined;
  }
}
