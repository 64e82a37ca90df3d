import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { followPatch } from '../../core/version/follow-patch.ts';
import type { FollowPlan } from '../../core/version/follow-plan.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { type ConfigMetadata, isSameVersion, type Original } from '../cache/configs.ts';
import { keyOfRollout, rolloutWithUid } from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { StaleCacheError } from '../guarded-patch.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { isDenial } from '../version/denials.ts';
import { planFollowOf } from './plan-follow-of.ts';

/** No event announces a changed policy, so a denied write is retried at this interval. */
const deniedMs = 2_000;

type Write = Extract<FollowPlan<VersionMetadata>, { follow: 'write' }>;

/**
 * Writes the content of the current version to Locked configs, so that pods which Trimtab does not manage get it, too.
 * Users cannot edit such a config, so no edit is overwritten. Keys are rollouts.
 */
export class LockedConfigs implements Reconciler {
  readonly name = 'locked';
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster } = this.#context;
    const onOriginal = ({ before, after }: Change<Original>) => {
      if (after === undefined || before?.hash === after.hash) return;
      enqueue(`${after.namespace}/${rolloutName(after.kind, after.name)}`);
    };
    const onConfig = ({ before, after }: Change<ConfigMetadata>) => {
      if (before && after && isSameVersion(before, after, useAndOwners)) return;
      const uid = after?.labels[labels.versionOf];
      const rollout = uid === undefined ? undefined : rolloutWithUid(cluster, uid);
      if (rollout !== undefined) enqueue(`${rollout.metadata.namespace}/${rollout.metadata.name}`);
    };
    return [
      cluster.rollouts.subscribe(({ key, before, after }) => {
        if (before === undefined || after === undefined || !isSameWish(before, after)) enqueue(key);
      }),
      ...Object.values(cluster.originals).flatMap((each) => each?.subscribe(onOriginal) ?? []),
      ...Object.values(cluster.configs).flatMap((each) => each?.subscribe(onConfig) ?? []),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { cluster, followDenials } = this.#context;
    const rollout = cluster.rollouts.cache.get(key);
    const plan = rollout && planFollowOf(this.#context, rollout);
    if (rollout === undefined || plan?.follow !== 'write') {
      followDenials.forget(key);
      return undefined;
    }
    try {
      await followDenials.during(key, () => this.#write(rollout, plan, signal));
      return undefined;
    } catch (error) {
      if (!isDenial(error)) throw error;
      // The activation reconciler reports the denial in the status.
      return { requeueAfterMs: deniedMs };
    }
  }

  async #write(rollout: ConfigRollout, { version, kept }: Write, signal: AbortSignal): Promise<void> {
    const { client, log } = this.#context;
    const { namespace = '' } = rollout.metadata;
    const { kind, name } = rollout.spec.config;
    const [live, body] = await this.#confirm(rollout, { version, kept }, signal);
    if (live === undefined || contentHash(live) === version.contentHash) return;
    const patch = { type: 'merge', body: followPatch(live, body, version.name) } as const;
    await client.patch(configResources[kind], { namespace, name }, patch, { fieldManager, signal });
    log.info({ namespace, config: keyOfRollout(rollout), version: version.name }, 'locked config updated');
  }

  /**
   * Reads what the write depends on from the API server: which version is current, its content, and that the present
   * content of the config is a version. The cache may be stale, and the content would be lost.
   */
  async #confirm(
    { metadata, spec }: ConfigRollout,
    { version, kept }: Pick<Write, 'version' | 'kept'>,
    signal: AbortSignal,
  ): Promise<[live: ConfigBody | undefined, body: ConfigBody]> {
    const { direct } = this.#context;
    const { namespace = '', name: rolloutNamed = '', uid } = metadata;
    const { kind, name } = spec.config;
    const read = (object: string) =>
      getIfExists<ConfigBody>(direct, configResources[kind], { namespace, name: object }, { signal });
    const [rollout, live, body, keptBody] = await Promise.all([
      getIfExists<ConfigRollout>(direct, configRollouts, { namespace, name: rolloutNamed }, { signal }),
      read(name),
      read(version.object),
      read(kept.object),
    ]);
    const isCurrent =
      rollout?.metadata.uid === uid &&
      rollout?.metadata.deletionTimestamp === undefined &&
      rollout?.spec.release === 'Locked' &&
      rollout.status?.current?.object === version.object &&
      body?.metadata.labels?.[labels.state] === 'current' &&
      hashOfVersion(body) === version.contentHash;
    if (!isCurrent || body === undefined)
      throw new StaleCacheError(`${kind} ${version.object} is no longer the current version of ${name}`);
    const held = live && contentHash(live);
    const isKept = keptBody?.metadata.uid === kept.uid && hashOfVersion(keptBody) === held;
    if (held !== undefined && held !== version.contentHash && !isKept)
      throw new StaleCacheError(`the content of ${kind} ${name} has changed since it was cached`);
    return [live, body];
  }
}

function hashOfVersion({ data, binaryData, metadata }: ConfigBody): string {
  return contentHash({ type: metadata.annotations?.[annotations.originalType], data, binaryData });
}

/** Changes of these fields do not affect which version is current or which content has a version. */
const useAndOwners = ['rejected', 'inUse', 'purgedBy', 'ownerReferences'] as const;

function isSameWish(before: ConfigRollout, after: ConfigRollout): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    before.metadata.generation === after.metadata.generation &&
    before.status?.current?.object === after.status?.current?.object
  );
}
