import type { KubeClient, Projection } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { configResources, pods, type Resource, workloadResources } from '@trimtab/kube/resource.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import type { PodSpec } from '../../api/pod-template.ts';
import { parseAssignedVersions } from '../../core/references/assigned-versions.ts';
import type { ManagedReferences } from '../../core/references/assignment.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import { type GrantedKeys, grantedKeys } from '../../core/references/granted-keys.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { type RolloutSummary, rolloutSummary } from '../../core/version/applied-version.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { StatusError } from '../answer/status-error.ts';
import { SharedValues } from './shared-values.ts';

export type PodGrants = ReadonlyMap<ConfigKey, GrantedKeys>;

/** A pod, reduced to the fields that decide its rights. */
export interface PodNames {
  uid: string;
  /** Before, no kubelet gives its containers anything. */
  hasNode: boolean;
  /** `Succeeded` or `Failed` when the pod has ended: its containers do not run again. */
  endedAs: string | undefined;
  /** The names that the pod's immutable spec references, such as `ConfigMap/foo`, with the keys that it gets. */
  grants: PodGrants;
  /** The pod has an agent, which reloads it: it should run what its workload is assigned. */
  isInjected: boolean;
  /** The workload of an injected pod, such as `Deployment/web`. */
  workload: string | undefined;
}

/** A workload whose pods are reloaded, reduced to what it is assigned. */
export interface AssignedWorkload {
  uid: string;
  versions: ManagedReferences;
  /** Equal for all configs of one assignment. */
  hash: string;
}

export interface WatchesOptions {
  /** Uses the gateway's own credentials. */
  client: KubeClient;
  clock: Clock;
  log: Logger;
  metrics?: Registry;
  /** The only namespaces that are served; defaults to all namespaces. */
  namespaces?: readonly string[];
  /** Whether each requested namespace has its own watch, for a user with rights in some namespaces only. */
  perNamespace?: boolean;
  /** Whether the gateway may read Secrets. */
  secrets: boolean;
}

export interface WatchHandlers {
  onRollout(change: Change<RolloutSummary>): void;
  onPod(change: Change<PodNames>): void;
  onConfig(kind: ConfigKind, change: Change<string>): void;
  onWorkload(kind: WorkloadKind, change: Change<AssignedWorkload>): void;
}

/**
 * Clients of all streams wait for these watches, so the watches follow again within 5 s after an outage. That takes two
 * attempts when the API server has forgotten earlier changes. A gateway has few watches, so short delays are no burden, also
 * when an API server that starts asks for a longer time with Retry-After.
 */
const maxMs = 1_500;
const timings = { backoff: { initialMs: 200, maxMs, maxRetryAfterMs: maxMs } };

/** How long a request waits for a new watch to sync. */
const patienceMs = 10_000;

/**
 * The watches that the gateway runs with its own credentials: one for each kind, started on first use. For persons, an
 * event only triggers a read with their own credentials; its data is never sent to them.
 */
export class ClusterWatches {
  readonly #options: WatchesOptions;
  readonly #handlers: WatchHandlers;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #watches = new Map<string, Reflector<unknown>>();
  readonly #grants = new SharedValues((text): PodGrants => new Map(JSON.parse(text)));

  constructor(options: WatchesOptions, handlers: WatchHandlers) {
    this.#options = options;
    this.#handlers = handlers;
  }

  /** Resolves when the cache is synced. Rejects with a StatusError 503 when the watch cannot sync. */
  rollouts(namespace: string, signal: AbortSignal): Promise<Reflector<RolloutSummary>> {
    const transform = (object: KubeObject) => rolloutSummary(object as ConfigRollout);
    return this.#synced('rollouts', namespace, signal, configRollouts, 'full', transform, (change) =>
      this.#handlers.onRollout(change),
    );
  }

  pods(namespace: string, signal: AbortSignal): Promise<Reflector<PodNames>> {
    const transform = (object: KubeObject) => {
      const pod = podNames(object);
      return { ...pod, grants: this.#grants.get(JSON.stringify([...pod.grants])) };
    };
    return this.#synced('pods', namespace, signal, pods, 'full', transform, (change) =>
      this.#handlers.onPod(change),
    );
  }

  /** Caches only workloads with the label of an assignment. */
  workloads(
    kind: WorkloadKind,
    namespace: string,
    signal: AbortSignal,
  ): Promise<Reflector<AssignedWorkload>> {
    return this.#synced(
      kind,
      namespace,
      signal,
      workloadResources[kind],
      'metadata',
      assignedWorkload,
      (change) => this.#handlers.onWorkload(kind, change),
      labels.assigned,
    );
  }

  /** Caches only the resourceVersion of each ConfigMap or Secret. */
  configs(kind: ConfigKind, namespace: string, signal: AbortSignal): Promise<Reflector<string>> {
    if (kind === 'Secret' && !this.#options.secrets) throw withoutSecrets();
    const transform = ({ metadata }: KubeObject) => metadata.resourceVersion ?? '';
    return this.#synced(
      `${kind} metadata`,
      namespace,
      signal,
      configResources[kind],
      'metadata',
      transform,
      (change) => this.#handlers.onConfig(kind, change),
    );
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the gateway is shutting down'));
    await Promise.all(this.#running);
  }

  async #synced<T>(
    name: string,
    namespace: string,
    signal: AbortSignal,
    resource: Resource,
    projection: Projection,
    transform: (object: KubeObject) => T,
    onChange: (change: Change<T>) => void,
    labelSelector?: string,
  ): Promise<Reflector<T>> {
    const { client, clock, log, metrics, namespaces } = this.#options;
    if (namespaces?.includes(namespace) === false) throw notServed(namespace);
    const perNamespace = this.#options.perNamespace || namespaces !== undefined;
    const scope = perNamespace ? namespace : undefined;
    const key = `${name} ${scope ?? ''}`;
    let watch = this.#watches.get(key) as Reflector<T> | undefined;
    if (watch === undefined) {
      watch = new Reflector<T>({
        name: scope === undefined || namespaces?.length === 1 ? name : key,
        client,
        resource,
        projection,
        transform,
        indexes: {},
        clock,
        timings,
        ...(labelSelector !== undefined && { labelSelector }),
        log,
        ...(metrics && { metrics }),
        ...(scope !== undefined && { namespace: scope }),
      });
      this.#watches.set(key, watch as Reflector<unknown>);
      watch.subscribe(onChange);
      this.#running.push(watch.run(this.#stop.signal));
    }
    if (watch.health().synced) return watch;
    const patience = AbortSignal.timeout(patienceMs);
    await watch.waitForSync(AbortSignal.any([signal, patience])).catch((error: unknown) => {
      if (signal.aborted) throw error;
      const { lastErrorCode } = watch.health();
      const why = lastErrorCode === undefined ? '' : `: ${lastErrorCode}`;
      throw new StatusError(
        503,
        'ServiceUnavailable',
        `the gateway's watch of ${resource.plural} is not synced yet${why}; retry, and see the gateway log if it persists`,
        undefined,
        { 'retry-after': '2' },
      );
    });
    return watch;
  }
}

/** The installation decides this, not the caller's rights. */
function notServed(namespace: string): StatusError {
  return new StatusError(
    403,
    'Forbidden',
    `this gateway does not serve namespace ${namespace} to pods or as watches; start it with --namespace ${namespace}, too, and apply the output of \`trimtab manifests\` with the same flags`,
  );
}

/** The installation decides this, not the caller's rights. */
export function withoutSecrets(): StatusError {
  return new StatusError(
    403,
    'Forbidden',
    'this gateway does not serve Secrets to pods or as watches, because it runs with --no-secrets; use another gateway, or start it without the flag',
  );
}

interface PodObject extends KubeObject {
  spec?: PodSpec & { nodeName?: string };
  status?: { phase?: string };
}

export function podNames(object: KubeObject): PodNames {
  const { metadata, spec = {}, status } = object as PodObject;
  return {
    uid: metadata.uid ?? '',
    hasNode: Boolean(spec.nodeName),
    endedAs: status?.phase === 'Succeeded' || status?.phase === 'Failed' ? status.phase : undefined,
    grants: grantedKeys(spec),
    isInjected: metadata.labels?.[labels.injected] === 'true',
    workload: metadata.annotations?.[annotations.workload],
  };
}

function assignedWorkload({ metadata }: KubeObject): AssignedWorkload {
  return {
    uid: metadata.uid ?? '',
    versions: parseAssignedVersions(metadata.annotations?.[annotations.versions]),
    hash: metadata.labels?.[labels.assigned] ?? '',
  };
}
