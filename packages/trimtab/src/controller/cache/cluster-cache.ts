import { isDeepStrictEqual } from 'node:util';
import type { KubeClient, Projection } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import {
  configResources,
  controllerRevisions,
  namespaces,
  pods,
  type Resource,
  replicaSets,
  workloadResources,
} from '@trimtab/kube/resource.ts';
import { type Reflected, reflect } from '@trimtab/kube/watch/reflect.ts';
import type { ReflectorOptions } from '@trimtab/kube/watch/reflector.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { reloadReports } from '../../api/reload-report.ts';
import type { LabelSelector } from '../../core/from-reloader/label-selector.ts';
import { lastManagerOf } from '../../core/managed-fields/last-manager.ts';
import type { ManagedFields } from '../../core/managed-fields/managed-fields.ts';
import { configKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import { type Pod, pod } from '../../core/workload/observe-pod.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { usedObjects, type Workload, workload } from '../../core/workload/reduce-workload.ts';
import { type ConfigMetadata, configMetadata, type Original, original } from './configs.ts';
import { FreshBodies } from './fresh-bodies.ts';
import { type Report, report } from './reports.ts';
import { type Revision, revision } from './revisions.ts';
import { SeenDeletions } from './seen-deletions.ts';

/** A ConfigRollout without `managedFields`, which are large; the facts needed from them are kept. */
export interface WatchedRollout extends ConfigRollout {
  /** Field manager that last set `spec.version`. */
  versionManager?: string;
  /** Field manager that last set the annotation `trimtab.dev/abort`. */
  abortManager?: string;
}

export interface ClusterCacheOptions {
  client: KubeClient;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  /** The only namespaces to watch; optional, defaults to all namespaces. */
  namespaces?: readonly string[];
  /** False when the controller has no permission to read Secrets. */
  secrets: boolean;
  /** Whether pods can be reloaded, so that reports of gateways are watched. Defaults to false. */
  reloads?: boolean;
  /** Where annotations of Reloader opt in; optional, defaults to everywhere. */
  reloaderScope?: ReloaderScope;
}

/** Limits the opt-ins by annotations of Reloader. Without a selector, there is no limit. */
export interface ReloaderScope {
  namespaces?: LabelSelector;
  configs?: LabelSelector;
}

/** Selects managed originals and no versions. Only this watch receives the content of configs. */
const managedOriginals = `${labels.config},!${labels.versionOf}`;

/**
 * The cache of all objects that the controller watches, reduced to the needed fields as they arrive. Reconcilers plan
 * from this cache only. The cache may be stale, so every write is guarded.
 */
export class ClusterCache {
  readonly rollouts: Reflected<WatchedRollout, 'uid' | 'workload'>;
  readonly configs: Record<
    ConfigKind,
    Reflected<ConfigMetadata, 'versionOf' | 'ownerUid' | 'group'> | undefined
  >;
  readonly originals: Record<ConfigKind, Reflected<Original> | undefined>;
  readonly workloads: Record<WorkloadKind, Reflected<Workload, 'reference'>>;
  readonly revisions: Record<Revision['kind'], Reflected<Revision, 'ownerUid' | 'reference'>>;
  readonly pods: Reflected<Pod, 'ownerUid' | 'reference'>;
  /** Whether annotations of Reloader opt in, by namespace. Undefined when they do so in all of them. */
  readonly namespaces: Reflected<{ isForReloader: boolean }> | undefined;
  /** Undefined when pods cannot be reloaded. */
  readonly reports: Reflected<Report, 'workload' | 'pod'> | undefined;
  readonly seenDeletions = new SeenDeletions((uid) => this.rollouts.cache.keysBy('uid', uid).size > 0);
  /** Content that the watches of originals have just delivered. */
  readonly freshBodies: FreshBodies;
  readonly #all: Reflected<unknown, string>[] = [];
  /** Watches without a label selector, which hold every object of their kind. */
  readonly #whole = new Map<Resource, Reflected<unknown, string>>();
  readonly #options: ClusterCacheOptions;

  constructor(options: ClusterCacheOptions) {
    this.#options = options;
    this.freshBodies = new FreshBodies(options.clock);
    const named = ({ references, namespace }: { references: readonly NamedReference[]; namespace: string }) =>
      new Set(references.map(({ kind, name }) => referenceKey(namespace, kind, name)));
    this.rollouts = this.#watch('rollouts', configRollouts, {
      transform: watchedRollout,
      indexes: {
        uid: ({ metadata }) => present(metadata.uid),
        workload: (rollout) => managedWorkloads(rollout).map((key) => `${rollout.metadata.namespace}/${key}`),
      },
    });
    const configs = (kind: ConfigKind) =>
      this.#watch(`${kind} metadata`, configResources[kind], {
        projection: 'metadata',
        transform: configMetadata(kind, options.reloaderScope?.configs),
        // Most ConfigMaps of a cluster are not managed, and an edit of a managed one arrives with its content.
        isSame: isDeepStrictEqual,
        indexes: {
          group: ({ namespace, labels: own }) =>
            present(own[labels.config] && `${namespace}/${own[labels.config]}`),
          versionOf: (metadata) => present(metadata.labels[labels.versionOf]),
          ownerUid: (metadata) => metadata.ownerReferences.map(({ uid }) => uid),
        },
      });
    const originals = (kind: ConfigKind) =>
      this.#watch(`${kind} originals`, configResources[kind], {
        labelSelector: managedOriginals,
        transform: (object) => {
          const reduced = original(kind)(object);
          this.freshBodies.put(kind, object, reduced.hash);
          return reduced;
        },
        indexes: {},
      });
    const withSecrets = options.secrets;
    this.configs = { ConfigMap: configs('ConfigMap'), Secret: withSecrets ? configs('Secret') : undefined };
    this.originals = {
      ConfigMap: originals('ConfigMap'),
      Secret: withSecrets ? originals('Secret') : undefined,
    };
    // Subscribed first, so that every other handler sees versions as what they are.
    this.rollouts.subscribe((change) => this.seenDeletions.noteRollout(change));
    for (const each of Object.values(this.configs))
      each?.subscribe((change) => this.seenDeletions.noteVersion(change));
    const workloads = (kind: WorkloadKind) =>
      this.#watch(kind, workloadResources[kind], {
        transform: workload(kind),
        indexes: {
          reference: (each) => named({ namespace: each.namespace, references: usedObjects(each) }),
        },
      });
    this.workloads = {
      Deployment: workloads('Deployment'),
      StatefulSet: workloads('StatefulSet'),
      DaemonSet: workloads('DaemonSet'),
    };
    const revisions = (kind: Revision['kind'], resource: Resource) =>
      this.#watch(kind, resource, {
        transform: revision(kind),
        indexes: { ownerUid: ({ ownerUid }) => [ownerUid], reference: named },
      });
    this.revisions = {
      ReplicaSet: revisions('ReplicaSet', replicaSets),
      ControllerRevision: revisions('ControllerRevision', controllerRevisions),
    };
    this.pods = this.#watch('Pod', pods, {
      transform: pod,
      indexes: { ownerUid: ({ ownerUid }) => present(ownerUid), reference: named },
    });
    const inScope = options.reloaderScope?.namespaces;
    this.namespaces =
      inScope &&
      this.#watch('Namespace metadata', namespaces, {
        projection: 'metadata',
        transform: ({ metadata }) => ({ isForReloader: inScope(metadata.labels ?? {}) }),
        isSame: isDeepStrictEqual,
        indexes: {},
      });
    this.reports = options.reloads
      ? this.#watch('ReloadReport', reloadReports, {
          transform: report,
          indexes: {
            workload: ({ namespace, workload: key }) => [`${namespace}/${key}`],
            pod: ({ pods: reported }) => reported.map(({ uid }) => uid),
          },
        })
      : undefined;
  }

  /** Runs all watches until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map((each) => each.run(signal)));
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map((each) => each.waitForSync(signal)));
  }

  /**
   * Adds the response of a write to the cache. Watches with a label selector are skipped: the object arrives there
   * with its watch event.
   */
  note(resource: Resource, object: KubeObject, projection: Projection): void {
    const { namespaces } = this.#options;
    if (namespaces === undefined || namespaces.includes(object.metadata.namespace ?? ''))
      this.#whole.get(resource)?.note(object, projection);
  }

  /** All watches, for the health check. */
  watches(): readonly Reflected<unknown, string>[] {
    return this.#all;
  }

  #watch<T, Index extends string>(
    name: string,
    resource: Resource,
    how: Pick<ReflectorOptions<T, Index>, 'transform' | 'indexes' | 'isSame'> &
      Partial<Pick<ReflectorOptions<T, Index>, 'projection' | 'labelSelector'>>,
  ): Reflected<T, Index> {
    const { client, log, metrics, clock = systemClock, namespaces: watched } = this.#options;
    const options: Omit<ReflectorOptions<T, Index>, 'namespace'> = {
      name,
      client,
      resource,
      log,
      clock,
      projection: 'full',
      ...how,
      ...(metrics !== undefined && { metrics }),
    };
    const reflector = reflect<T, Index>(options, watched);
    this.#all.push(reflector as unknown as Reflected<unknown, string>);
    if (how.labelSelector === undefined)
      this.#whole.set(resource, reflector as unknown as Reflected<unknown, string>);
    return reflector;
  }
}

type NamedReference = { kind: ConfigKind; name: string };

/** Index key of the objects that reference a config, for example `default/ConfigMap/foo`. */
export function referenceKey(namespace: string, kind: ConfigKind, name: string): string {
  return `${namespace}/${configKey(kind, name)}`;
}

function present(value: string | undefined): string[] {
  return value === undefined || value === '' ? [] : [value];
}

function watchedRollout(object: KubeObject): WatchedRollout {
  const { managedFields, ...metadata } = object.metadata as KubeObject['metadata'] & {
    managedFields?: ManagedFields[];
  };
  const versionManager = lastManagerOf(managedFields, ['spec', 'version']);
  const abortManager = lastManagerOf(managedFields, ['metadata', 'annotations', annotations.abort]);
  return {
    ...(object as ConfigRollout),
    metadata,
    ...(versionManager !== undefined && { versionManager }),
    ...(abortManager !== undefined && { abortManager }),
  };
}
