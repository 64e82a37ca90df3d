import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { configKey } from '../../core/references/config-key.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { knownLedger, ledgerOf, rebuildLedger, recordDeletions } from '../../core/version/ledger.ts';
import { rolloutName, versionObjectName } from '../../core/version/object-names.ts';
import { rolloutOwner } from '../../core/version/version-object.ts';
import type { PlannedVersion } from '../../core/version/version-plan.ts';
import { createVersion } from '../../versions/create-version.ts';
import { type ConfigMetadata, isSameVersion, type Original } from '../cache/configs.ts';
import {
  configMetadataOf,
  existingVersions,
  originalOf,
  orphanedVersions,
  rolloutOf,
  rolloutWithUid,
  versionsOf,
} from '../cache/lookup.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { StaleCacheError } from '../guarded-patch.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { isDenial } from './denials.ts';
import { labelOriginal, unlockOriginal } from './label-original.ts';
import { patchVersionMetadata } from './patch-version-metadata.ts';
import { planVersionOf } from './plan-version-of.ts';
import { plannedVersion } from './planned-version.ts';
import { rolloutSubject } from './rollout-subject.ts';
import { writeCachedLedger } from './write-cached-ledger.ts';
import { wrongName } from './wrong-name.ts';

/** Creates versions from the content of managed configs. Keys are rollouts. */
export class VersionReconciler implements Reconciler {
  readonly name = 'version';
  readonly #context: ControllerContext;
  /** Configs with the label `trimtab.dev/locked`, by the key of their rollout. */
  readonly #locked = new Map<string, Pick<ConfigMetadata, 'kind' | 'namespace' | 'name'>>();
  /** The uid of a rollout → the number of relists of its kind before which its ledger was read. */
  readonly #confirmed = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster, coalescing, denials } = this.#context;
    const onOriginal = ({ before, after }: Change<Original>) => {
      if (after === undefined) return;
      const key = `${after.namespace}/${rolloutName(after.kind, after.name)}`;
      if (before !== undefined && before.hash !== after.hash) {
        // A Locked config follows its current version, which is no edit.
        if (cluster.rollouts.cache.get(key)?.spec.release !== 'Locked') coalescing.edited(key);
        denials.forget(key);
      }
      enqueue(key);
    };
    const onConfig = ({ before, after }: Change<ConfigMetadata>) => {
      const metadata = after ?? before;
      if (metadata?.labels[labels.versionOf] === undefined && metadata !== undefined)
        this.#noteLock(metadata, after, enqueue);
      if (metadata === undefined || (before && after && isSameVersion(before, after, marksAndUse))) return;
      const uid = metadata.labels[labels.versionOf];
      // A new version leaves nothing to do: the content that it was created from has a version now.
      if (uid !== undefined && before === undefined) return;
      const rollout =
        uid === undefined
          ? rolloutOf(cluster, metadata.namespace, metadata.kind, metadata.name)
          : rolloutWithUid(cluster, uid);
      if (rollout !== undefined) enqueue(`${rollout.metadata.namespace}/${rollout.metadata.name}`);
    };
    return [
      cluster.rollouts.subscribe(({ key, before, after }) => {
        if (after === undefined) this.#confirmed.delete(before?.metadata.uid ?? '');
        if (before === undefined || after === undefined || !isSameOrder(before, after)) enqueue(key);
      }),
      ...Object.values(cluster.originals).flatMap((each) => each?.subscribe(onOriginal) ?? []),
      ...Object.values(cluster.configs).flatMap((each) => each?.subscribe(onConfig) ?? []),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { cluster, denials } = this.#context;
    const rollout = cluster.rollouts.cache.get(key);
    if (rollout === undefined) await this.#unlock(key, signal);
    if (rollout === undefined || rollout.metadata.deletionTimestamp !== undefined) return undefined;
    // The schema cannot verify how a long name is shortened, and a config must not have two rollouts.
    if (wrongName(rollout) !== undefined) return undefined;
    try {
      return await denials.during(key, () => this.#makeVersion(key, rollout, signal));
    } catch (error) {
      if (!isDenial(error)) throw error;
      // The activation reconciler reports the denial in the status and in Events.
      return { requeueAfterMs: deniedMs };
    }
  }

  #noteLock(
    { kind, namespace, name }: ConfigMetadata,
    after: ConfigMetadata | undefined,
    enqueue: (key: string) => void,
  ): void {
    const key = `${namespace}/${rolloutName(kind, name)}`;
    if (after?.labels[labels.locked] === undefined) {
      this.#locked.delete(key);
      return;
    }
    this.#locked.set(key, { kind, namespace, name });
    // The rollout may be gone already; if it exists, its own event leads here.
    if (!this.#context.cluster.rollouts.cache.get(key)) enqueue(key);
  }

  /** Unlocks the config of a rollout that does not exist. */
  async #unlock(key: string, signal: AbortSignal): Promise<void> {
    const { client, cluster } = this.#context;
    const locked = this.#locked.get(key);
    const config = locked && configMetadataOf(cluster, locked.namespace, locked.kind, locked.name);
    if (config?.labels[labels.locked] === undefined || config.deleting) return;
    // The watch of rollouts may lag behind that of configs.
    const [namespace = '', name = ''] = key.split('/');
    const rollout = await getIfExists(client, configRollouts, { namespace, name }, { signal });
    if (rollout === undefined) await unlockOriginal(this.#context, config, signal);
  }

  async #makeVersion(
    key: string,
    seen: ConfigRollout,
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    const { client, cluster, coalescing } = this.#context;
    await labelOriginal(this.#context, seen, signal);
    const original = originalOf(cluster, seen);
    // A user who creates a ConfigRollout in advance has no versions yet, and nothing is written to it.
    if (original === undefined && orphanedVersions(cluster, seen).length === 0) return undefined;
    const rollout = await this.#withLedger(seen, signal);
    if (await this.#adoptOrphans(rollout, signal)) return { requeueAfterMs: 100 };
    if (original === undefined) return undefined;
    const leftMs = coalescing.leftMs(key);
    const versions = versionsOf(cluster, rollout);
    // The first version is created without delay: no workload can be assigned before it exists.
    if (leftMs > 0 && versions.length > 0) return { requeueAfterMs: leftMs };
    const plan = planVersionOf(cluster, rollout, original, versions);
    if (plan.make === 'nothing') return undefined;
    const ledger = knownLedger(rollout);
    const unrecorded = cluster.seenDeletions.unrecorded(rollout.metadata.uid, ledger);
    if (unrecorded.length > 0) {
      const whole = recordDeletions(ledger, unrecorded, existingVersions(cluster, rollout));
      await writeCachedLedger(client, rollout, whole, signal);
      return { requeueAfterMs: 0 };
    }
    await this.#confirmLedger(rollout, signal);
    for (const name of plan.occupied) this.#warnOccupied(rollout, name);
    return this.#create(rollout, original, plan, versions.length === 0, signal);
  }

  async #create(
    rollout: ConfigRollout,
    original: Original,
    plan: PlannedVersion,
    isFirst: boolean,
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    const { direct, log, recordEvent } = this.#context;
    const body = await this.#bodyOf(rollout, original, signal);
    // The config was edited or deleted after it was observed. The watch delivers the change.
    if (body === undefined) return undefined;
    const { namespace = '' } = rollout.metadata;
    const { kind, name } = rollout.spec.config;
    const isCurrent = isFirst && plan.sequence === 1;
    const isAssigned = isCurrent || rollout.spec.release === 'Auto';
    const object = plannedVersion(this.#context, rollout, { body, hash: original.hash, plan, isCurrent });
    // The response does not enter the cache. The version counts when the watch has delivered it: only then all that
    // happened to its name before is known.
    const { result } = await createVersion({ client: direct, fieldManager, signal }, rollout, object);
    if (result === 'created') {
      log.info({ namespace, config: configKey(kind, name), version: plan.name }, 'version created');
      // A version that is rolled out at once has the Event of its activation.
      const created = JSON.stringify(plan.name);
      if (rollout.spec.release === 'Locked' && !isFirst)
        recordEvent(
          rolloutSubject(rollout),
          'Warning',
          'Locked',
          `The content of ${kind} ${name} was not a version although its release mode is Locked. It became version ${created}, which is not rolled out: activate it to release it`,
        );
      else if (!isAssigned)
        recordEvent(rolloutSubject(rollout), 'Normal', 'VersionCreated', `Created version ${created}`);
      return undefined;
    }
    return { staleCache: true };
  }

  #warnOccupied(rollout: ConfigRollout, version: string): void {
    const { kind, name } = rollout.spec.config;
    const object = versionObjectName(name, rollout.metadata.uid ?? '', version);
    this.#context.recordEvent(
      rolloutSubject(rollout),
      'Warning',
      'ObjectNameTaken',
      `${kind} ${object} has the name that version ${JSON.stringify(version)} needs and is not a version of this config; the content becomes the next version`,
    );
  }

  async #bodyOf(
    { metadata, spec }: ConfigRollout,
    { hash }: Original,
    signal: AbortSignal,
  ): Promise<ConfigBody | undefined> {
    const { client, cluster } = this.#context;
    const { kind, name } = spec.config;
    const { namespace = '' } = metadata;
    const body =
      cluster.freshBodies.take(kind, namespace, name, hash) ??
      (await getIfExists<ConfigBody>(client, configResources[kind], { namespace, name }, { signal }));
    return body !== undefined && contentHash(body) === hash ? body : undefined;
  }

  /** Writes a missing ledger from the versions that exist. */
  async #withLedger(rollout: ConfigRollout, signal: AbortSignal): Promise<ConfigRollout> {
    const { client, cluster, recordEvent } = this.#context;
    const ledger = ledgerOf(rollout);
    if (typeof ledger !== 'string') return rollout;
    if (ledger === 'damaged')
      recordEvent(
        rolloutSubject(rollout),
        'Warning',
        'LedgerDamaged',
        `Annotation ${annotations.ledger} cannot be parsed; rebuilding it from the existing versions`,
      );
    return writeCachedLedger(client, rollout, rebuildLedger(existingVersions(cluster, rollout)), signal);
  }

  /**
   * Reads the ledger once after each relist of version objects. A version that was created and deleted during the
   * interruption was never in the cache, so only the ledger knows its name.
   */
  async #confirmLedger(rollout: ConfigRollout, signal: AbortSignal): Promise<void> {
    const { client, cluster } = this.#context;
    const { uid = '', namespace = '', name = '' } = rollout.metadata;
    const relists = cluster.configs[rollout.spec.config.kind]?.syncs ?? 0;
    if (this.#confirmed.get(uid) === relists) return;
    const live = await client.get<ConfigRollout>(configRollouts, { namespace, name }, { signal });
    const text = (each: ConfigRollout) => each.metadata.annotations?.[annotations.ledger];
    if (live.metadata.uid !== uid || text(live) !== text(rollout))
      throw new StaleCacheError(`ledger of ConfigRollout ${name} has changed since it was cached`);
    this.#confirmed.set(uid, relists);
  }

  /** A rollout that was deleted and created again adopts the remaining versions, so no pod restarts. */
  async #adoptOrphans(rollout: ConfigRollout, signal: AbortSignal): Promise<boolean> {
    const { client, cluster } = this.#context;
    const strays = orphanedVersions(cluster, rollout);
    const cache = cluster.configs[rollout.spec.config.kind]?.cache;
    for (const { object, namespace, rolloutUid } of strays) {
      const metadata = cache?.get(`${namespace}/${object}`);
      const resourceVersion = cache?.versionOf(`${namespace}/${object}`);
      if (metadata === undefined || resourceVersion === undefined) continue;
      const owners = metadata.ownerReferences.filter(({ uid }) => uid !== rolloutUid);
      const change = {
        labels: { [labels.versionOf]: rollout.metadata.uid ?? '' },
        ownerReferences: [...owners, rolloutOwner(rollout)],
      };
      await patchVersionMetadata(client, { metadata, resourceVersion }, change, signal);
    }
    return strays.length > 0;
  }
}

/** No event announces a changed policy or quota, so a denied write is retried at this interval. */
const deniedMs = 2_000;

/** Changes of these fields do not affect which content has a version. */
const marksAndUse = ['state', 'currentCount', 'rejected', 'inUse', 'purgedBy', 'ownerReferences'] as const;

/** Whether only the status or unrelated metadata of a rollout has changed. */
function isSameOrder({ metadata: before }: ConfigRollout, { metadata: after }: ConfigRollout): boolean {
  return (
    before.uid === after.uid &&
    before.generation === after.generation &&
    before.annotations?.[annotations.ledger] === after.annotations?.[annotations.ledger]
  );
}
