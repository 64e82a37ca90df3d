import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import { labels } from '../../api/names.ts';
import { isReloaderAnnotation } from '../../core/from-reloader/annotations.ts';
import { reloaderProblems } from '../../core/from-reloader/problems.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import type { Adoption } from '../../core/workload/adoption.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { isWorkloadKind, workloadKey } from '../../core/workload/workload-key.ts';
import type { ConfigMetadata, Original } from '../cache/configs.ts';
import { keyOfRollout, rolloutOf, versionsOfConfig, workloadAt, workloadsNaming } from '../cache/lookup.ts';
import { lacksVersions } from '../cache/unknown-versions.ts';
import type { ControllerContext } from '../context.ts';
import { MissingOwners } from '../ownership/missing-owners.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { isDenial } from '../version/denials.ts';
import { adoptionOfWorkload, referencedConfigs } from './adoption-of.ts';
import { configsForReloader, readsReloader } from './reads-reloader.ts';
import { revertToOriginals } from './revert-to-originals.ts';
import { addWorkload, liveRollout, removeWorkload } from './workload-list.ts';
import { type Notice, ToldNotices, workloadNotices } from './workload-notices.ts';

/** No event announces a changed policy or quota, so a denied write is retried at this interval. */
const deniedMs = 2_000;

/**
 * Determines the configs that a workload opts in to, and ensures that each has a rollout that lists the workload. Keys
 * are workloads: `namespace/Deployment/name`.
 */
export class AdoptionReconciler implements Reconciler {
  readonly name = 'adoption';
  readonly #context: ControllerContext;
  readonly #missingOwners = new MissingOwners();
  readonly #told = new ToldNotices();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster } = this.#context;
    // Most changes of a workload are steps of its rolling update and leave nothing to do.
    const enqueueWorkload = (workload: Workload) => {
      const { namespace, kind, name } = workload;
      if (this.#hasWork(workload)) enqueue(`${namespace}/${workloadKey(kind, name)}`);
    };
    const enqueueListed = (namespace: string, key: string) => {
      const workload = workloadAt(cluster, namespace, key);
      if (workload === undefined) enqueue(`${namespace}/${key}`);
      else enqueueWorkload(workload);
    };
    /**
     * For a config without rollout: workloads that still reference its versions may wait for a change of the config.
     */
    const enqueueUnmanaged = (config: Pick<ConfigMetadata, 'namespace' | 'kind' | 'name'> | undefined) => {
      if (config === undefined) return;
      const { namespace, kind, name } = config;
      if (rolloutOf(cluster, namespace, kind, name) !== undefined) return;
      for (const { object } of versionsOfConfig(cluster, namespace, kind, name))
        for (const workload of workloadsNaming(cluster, namespace, kind, object)) enqueueWorkload(workload);
    };
    const onWorkload = ({ before, after }: Change<Workload>) => {
      const [isConcerned, wasConcerned] = [after, before].map((each) => each && this.#isConcerned(each));
      if (after !== undefined && (isConcerned || wasConcerned)) enqueueWorkload(after);
      else if (before !== undefined && wasConcerned)
        enqueueListed(before.namespace, workloadKey(before.kind, before.name));
    };
    const onConfig = ({ before, after }: Change<ConfigMetadata>) => {
      const metadata = after ?? before;
      if (metadata === undefined) return;
      const isVersion = versionMetadata(metadata) !== undefined;
      // An opt-out may wait for a version to become current.
      if (isVersion && before?.labels[labels.state] === after?.labels[labels.state]) return;
      for (const workload of workloadsNaming(cluster, metadata.namespace, metadata.kind, metadata.name))
        enqueueWorkload(workload);
      if (isVersion) return;
      enqueueUnmanaged(metadata);
      if (after !== undefined) this.#missingOwners.note(after, before);
      for (const { kind, name } of metadata.ownerReferences)
        if (isWorkloadKind(kind)) enqueue(`${metadata.namespace}/${workloadKey(kind, name)}`);
    };
    const onNamespace = ({ key }: { key: string }) => {
      for (const { cache } of Object.values(cluster.workloads))
        for (const [, workload] of cache.entries()) if (workload.namespace === key) enqueueWorkload(workload);
    };
    const onOriginal = ({ before, after }: Change<Original>) => enqueueUnmanaged(after ?? before);
    return [
      ...Object.values(cluster.workloads).map((each) => each.subscribe(onWorkload)),
      ...Object.values(cluster.configs).flatMap((each) => each?.subscribe(onConfig) ?? []),
      ...Object.values(cluster.originals).flatMap((each) => each?.subscribe(onOriginal) ?? []),
      ...(cluster.namespaces ? [cluster.namespaces.subscribe(onNamespace)] : []),
      cluster.rollouts.subscribe(({ before, after }) => {
        // A rollout that was deleted and created again immediately may no longer list all of them.
        for (const rollout of [before, after])
          for (const key of rollout === undefined ? [] : managedWorkloads(rollout))
            enqueueListed(rollout?.metadata.namespace ?? '', key);
      }),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { cluster } = this.#context;
    const [namespace = '', ...rest] = key.split('/');
    const listedAs = rest.join('/');
    await this.#missingOwners.warnAuthor(this.#context, key, signal);
    const workload = workloadAt(cluster, namespace, listedAs);
    if (workload === undefined || workload.deleting) {
      this.#told.forget(key);
      // A new workload with the same name must opt in again.
      for (const config of this.#managedBefore(key))
        await removeWorkload(this.#context, namespace, config, listedAs, signal);
      return undefined;
    }
    // A reference to a version that no watch has delivered would end the management of its config.
    if (await lacksVersions(this.#context, [workload], signal)) return { staleCache: true };
    const before = this.#managedBefore(key);
    const adoption = adoptionOfWorkload(this.#context, workload);
    const notices = this.#notices(workload, before, adoption);
    this.#told.tell(this.#context, key, workload, notices);
    // A config that cannot be managed must not keep the others from being managed.
    const added = await Promise.allSettled(
      [...adoption.managed].map((config) => addWorkload(this.#context, workload, config, signal)),
    );
    const isListed = added.every((each) => each.status === 'rejected' || each.value);
    const errors = added.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    if (errors.length > 0 && !errors.every(isDenial)) throw new AggregateError(errors);
    if (await this.#isListed(workload, adoption, signal)) return { staleCache: true };
    if (adoption.obstacles.length === 0) {
      await revertToOriginals(this.#context, workload, adoption, signal);
      for (const config of adoption.ended)
        await removeWorkload(this.#context, namespace, config, listedAs, signal);
    }
    if (!isListed) return { staleCache: true };
    return errors.length > 0 ? { requeueAfterMs: deniedMs } : undefined;
  }

  /** Whether a reconciliation of this workload would change or report something. */
  #hasWork(workload: Workload): boolean {
    const { namespace, kind, name, deleting } = workload;
    const key = `${namespace}/${workloadKey(kind, name)}`;
    const before = this.#managedBefore(key);
    if (deleting) return before.size > 0;
    const adoption = adoptionOfWorkload(this.#context, workload);
    const { managed, ended, toRevert } = adoption;
    if (ended.size > 0 || toRevert.size > 0 || [...managed].some((config) => !before.has(config)))
      return true;
    return !this.#told.hasTold(key, workload, this.#notices(workload, before, adoption));
  }

  #notices(workload: Workload, before: ReadonlySet<ConfigKey>, adoption: Adoption): Notice[] {
    const { cluster, reloads } = this.#context;
    const references = referencedConfigs(cluster, workload);
    const notices = workloadNotices(workload, references, before, adoption, reloads);
    if (!readsReloader(this.#context, workload)) return notices;
    const config = configsForReloader(cluster, workload.namespace);
    return [...notices, ...reloaderProblems(workload, references, config)];
  }

  /** A workload without references can have an annotation of Reloader that has no effect. */
  #isConcerned({ references, annotations, templateAnnotations }: Workload): boolean {
    if (references.length > 0) return true;
    const keys = [...Object.keys(annotations), ...Object.keys(templateAnnotations)];
    return this.#context.reloaderAnnotations && keys.some(isReloaderAnnotation);
  }

  /** Whether the cache is stale: the live rollout lists this workload already. */
  async #isListed(
    { namespace, kind, name }: Workload,
    { toRevert, ended }: Adoption,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const config of [...toRevert].filter((each) => !ended.has(each))) {
      const live = await liveRollout(this.#context, namespace, config, signal);
      if (live !== undefined && managedWorkloads(live).includes(workloadKey(kind, name))) return true;
    }
    return false;
  }

  #managedBefore(key: string): Set<ConfigKey> {
    const { cache } = this.#context.cluster.rollouts;
    const keys = [...cache.keysBy('workload', key)];
    return new Set(keys.flatMap((each) => cache.get(each) ?? []).map(keyOfRollout));
  }
}
