import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { forgetLast, ledgerOf } from '../../core/version/ledger.ts';
import { rolloutName, versionObjectName } from '../../core/version/object-names.ts';
import { rolloutOwner } from '../../core/version/version-object.ts';
import { type ConfigMetadata, isSameVersion, type Original } from '../cache/configs.ts';
import { originalOf, orphanedVersions, rolloutOf, rolloutWithUid, versionsOf } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { isDenial } from './denials.ts';
import { labelOriginal } from './label-original.ts';
import { ContentChanged, makeVersion } from './make-version.ts';
import { patchVersionMetadata } from './patch-version-metadata.ts';
import { planVersionOf } from './plan-version-of.ts';
import { rolloutSubject } from './rollout-subject.ts';
import { writeLedger } from './write-ledger.ts';
import { wrongName } from './wrong-name.ts';

/** Creates versions from the content of managed configs. Keys are rollouts. */
export class VersionReconciler implements Reconciler {
  readonly name = 'version';
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster, coalescing, denials } = this.#context;
    const onOriginal = ({ before, after }: Change<Original>) => {
      if (after === undefined) return;
      const key = `${after.namespace}/${rolloutName(after.kind, after.name)}`;
      if (before !== undefined && before.hash !== after.hash) {
        coalescing.edited(key);
        denials.forget(key);
      }
      enqueue(key);
    };
    const onConfig = ({ before, after }: Change<ConfigMetadata>) => {
      const metadata = after ?? before;
      if (metadata === undefined || (before && after && isSameVersion(before, after, marksAndUse))) return;
      const uid = metadata.labels[labels.versionOf];
      const rollout =
        uid === undefined
          ? rolloutOf(cluster, metadata.namespace, metadata.kind, metadata.name)
          : rolloutWithUid(cluster, uid);
      if (rollout !== undefined) enqueue(`${rollout.metadata.namespace}/${rollout.metadata.name}`);
    };
    return [
      cluster.rollouts.subscribe(({ key, before, after }) => {
        if (before === undefined || after === undefined || !isSameOrder(before, after)) enqueue(key);
      }),
      ...Object.values(cluster.originals).flatMap((each) => each?.subscribe(onOriginal) ?? []),
      ...Object.values(cluster.configs).flatMap((each) => each?.subscribe(onConfig) ?? []),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { cluster, denials } = this.#context;
    const rollout = cluster.rollouts.cache.get(key);
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

  async #makeVersion(
    key: string,
    rollout: ConfigRollout,
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    const { cluster, coalescing, recordEvent } = this.#context;
    await labelOriginal(this.#context, rollout, signal);
    if (await this.#adoptOrphans(rollout, signal)) return { requeueAfterMs: 100 };
    const original = originalOf(cluster, rollout);
    if (original === undefined) return undefined;
    const leftMs = coalescing.leftMs(key);
    const versions = versionsOf(cluster, rollout);
    // The first version is created without delay: no workload can be assigned before it exists.
    if (leftMs > 0 && versions.length > 0) return { requeueAfterMs: leftMs };
    const plan = planVersionOf(rollout, original, versions);
    if (plan.make === 'verify') return this.#verifyVersion(rollout, plan.name, signal);
    if (plan.make === 'nothing') return undefined;
    const { ledger, damaged } = ledgerOf(rollout, versions);
    if (damaged) {
      recordEvent(
        rolloutSubject(rollout),
        'Warning',
        'LedgerDamaged',
        `Annotation ${annotations.ledger} cannot be parsed; rebuilding it from the existing versions`,
      );
    }
    try {
      // The cache may be stale: a config without versions in the cache may have had one already.
      const state = versions.length === 0 && ledger.last?.made !== true ? 'current' : 'not-current';
      const version = { contentHash: original.hash, createdBy: 'edit', state } as const;
      await makeVersion(this.#context, rollout, plan.reservation, version, signal);
      recordEvent(
        rolloutSubject(rollout),
        'Normal',
        'VersionCreated',
        `Created version ${JSON.stringify(plan.reservation.name)}`,
      );
    } catch (error) {
      if (!(error instanceof ContentChanged)) throw error;
    }
    return undefined;
  }

  /**
   * Reads the version from the API server: the cache may be stale, the version may be deleted, or another object may
   * have its name.
   */
  async #verifyVersion(
    rollout: ConfigRollout,
    version: string,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { client, recordEvent } = this.#context;
    const { kind, name } = rollout.spec.config;
    const { namespace = '', uid = '' } = rollout.metadata;
    const where = { namespace, name: versionObjectName(name, uid, version) };
    const found = await getIfExists(client, configResources[kind], where, { projection: 'metadata', signal });
    if (found?.metadata.labels?.[labels.versionOf] !== uid) {
      await writeLedger(client, rollout, forgetLast(ledgerOf(rollout, []).ledger), { signal });
      const message = `${kind} ${where.name} has the name that version ${JSON.stringify(version)} needs and is not a version of this config; the content becomes the next version`;
      if (found !== undefined) recordEvent(rolloutSubject(rollout), 'Warning', 'ObjectNameTaken', message);
    }
    return { requeueAfterMs: 100 };
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
const marksAndUse = ['state', 'currentCount', 'rejected', 'inUse', 'ownerReferences'] as const;

/** Whether only the status or unrelated metadata of a rollout has changed. */
function isSameOrder({ metadata: before }: ConfigRollout, { metadata: after }: ConfigRollout): boolean {
  return (
    before.uid === after.uid &&
    before.generation === after.generation &&
    before.annotations?.[annotations.ledger] === after.annotations?.[annotations.ledger]
  );
}
