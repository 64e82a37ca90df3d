import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { configKey, readConfigKey } from '../../core/references/config-key.ts';
import { type GrantedKeys, unionOfKeys } from '../../core/references/granted-keys.ts';
import {
  type AppliedState,
  appliedState,
  assignedVersion,
  type PodReference,
  type RolloutSummary,
} from '../../core/version/applied-version.ts';
import { mayBeVersionOf, rolloutName } from '../../core/version/object-names.ts';
import { unmanagedVersionName } from '../../core/version/unmanaged-version.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { isWorkloadKind, readWorkloadKey } from '../../core/workload/workload-key.ts';
import { presentUnmanaged } from '../../versions/reads/present.ts';
import { readCurrentVersion } from '../../versions/reads/read-current-version.ts';
import { StatusError } from '../answer/status-error.ts';
import { presentCurrent } from '../current/present-current.ts';
import type { PodCaller } from '../request/gateway-request.ts';
import {
  type AssignedWorkload,
  type ClusterWatches,
  type PodGrants,
  type PodNames,
  podNames,
  withoutSecrets,
} from '../streams/cluster-watches.ts';
import type { AppliedVersion, VersionSource } from '../streams/version-source.ts';
import { WatchPayload } from '../streams/watch-payload.ts';
import { BoundedCache } from './bounded-cache.ts';
import { presentForPod } from './present-for-pod.ts';
import { contentAgeMs, VersionBodies, type VersionBody } from './version-bodies.ts';

const maxShownBytes = 32 * 2 ** 20;
const maxHeadBytes = 4 * 2 ** 20;

/** The keys of a config that a pod gets; `id` is equal for equal keys. */
interface Granted {
  keys: GrantedKeys;
  id: string;
}

const unmanaged: RolloutSummary = { uid: '', resourceVersion: '', current: undefined, target: undefined };

/** What one pod should run of one config. */
export interface PodSource extends VersionSource {
  /** The workload whose assignment decides, and to which the pod reports. Only injected pods have one. */
  workload?: {
    namespace: string;
    kind: WorkloadKind;
    name: string;
    assigned(): AssignedWorkload | undefined;
  };
}

/**
 * What pods may read: the version that they should run, of each config that their immutable spec references, with the
 * keys that the kubelet gives them.
 */
export class PodConfigs {
  readonly #client: KubeClient;
  readonly #watches: ClusterWatches;
  readonly #secrets: boolean;
  readonly #bodies: VersionBodies;
  /** By the version or resourceVersion and by the keys, so all pods with the same rights share what they get. */
  readonly #shown: BoundedCache<WatchPayload>;
  readonly #configs = new BoundedCache<VersionMetadata | undefined>(maxHeadBytes);

  constructor(client: KubeClient, watches: ClusterWatches, secrets: boolean, clock: Clock) {
    this.#client = client;
    this.#watches = watches;
    this.#secrets = secrets;
    this.#bodies = new VersionBodies(client, clock);
    this.#shown = new BoundedCache(maxShownBytes, { clock, maxAgeMs: contentAgeMs });
  }

  /** Throws a StatusError 403 with the reason when the pod's spec does not reference the config. */
  async source(pod: PodCaller, address: ConfigAddress, signal: AbortSignal): Promise<PodSource> {
    const { kind, namespace, name } = address;
    if (kind === 'Secret' && !this.#secrets) throw withoutSecrets();
    if (pod.namespace !== namespace)
      throw forbidden(
        pod,
        `the pod is in namespace "${pod.namespace}", the ${kind} in namespace "${namespace}"`,
      );
    const found = await this.#podOf(pod, signal);
    const { keys, ...reference } = await this.#reference(found.grants, address);
    if (reference.versions.length === 0 && !reference.original)
      throw forbidden(pod, `its spec references neither the ${kind} "${name}" nor a version of it`);
    const granted: Granted = { keys, id: JSON.stringify(keys) };
    const watched = {
      pods: await this.#watches.pods(namespace, signal),
      rollouts: await this.#watches.rollouts(namespace, signal),
    };
    const workload = await this.#workloadOf(found, namespace, signal);
    const choose = found.isInjected
      ? reloadedVersion(address, workload?.assigned)
      : (known: RolloutSummary) => ({ object: assignedVersion(reference, known) });
    let isSeen = false;
    return {
      isCached: true,
      ...(workload && { workload }),
      now: async (looking) => {
        const cached = watched.pods.cache.get(`${namespace}/${pod.name}`);
        const seen = cached?.uid === pod.uid ? cached : undefined;
        // A pod that was just created may not be in the cache yet.
        const known = seen ?? (isSeen ? undefined : await this.#readPod(pod, looking));
        if (known === undefined) throw gone(pod);
        refuseEnded(pod, known);
        isSeen ||= seen !== undefined;
        const summary = watched.rollouts.cache.get(`${namespace}/${rolloutName(kind, name)}`);
        return this.#applied(address, granted, choose, summary, looking);
      },
    };
  }

  async #applied(
    address: ConfigAddress,
    granted: Granted,
    choose: (known: RolloutSummary) => ChosenVersion,
    summary: RolloutSummary | undefined,
    signal: AbortSignal,
  ): Promise<AppliedVersion | undefined> {
    const known = summary === undefined ? unmanaged : await this.#checked(address, summary);
    const { object, hash } = choose(known);
    if (object === undefined) return this.#live(address, granted, signal);
    const state = appliedState(known, object);
    return {
      object,
      key: `${object} ${state} ${hash ?? ''} ${granted.id}`,
      resourceVersion: known.resourceVersion,
      managed: true,
      read: () => this.#show(address, granted, object, known, state, hash),
    };
  }

  /** Verifies the current version, because the status may have been edited. One read serves all pods of a config. */
  async #checked(address: ConfigAddress, summary: RolloutSummary): Promise<RolloutSummary> {
    const { uid, resourceVersion, current, target } = summary;
    const rollout = { metadata: { uid }, status: { ...(current && { current }), ...(target && { target }) } };
    const version = await this.#configs.get(`${uid} ${resourceVersion}`, async () => {
      const value = await readCurrentVersion(this.#client, address, rollout);
      // Without a status the controller has not reconciled yet, and versions may still be created.
      return { value, bytes: current === undefined ? undefined : 1_000 };
    });
    return version === undefined
      ? summary
      : { ...summary, current: { version: version.name, object: version.object } };
  }

  /** Created once for all pods that the version applies to and that get the same keys. */
  #show(
    { kind, namespace, name }: ConfigAddress,
    granted: Granted,
    object: string,
    summary: RolloutSummary,
    state: AppliedState,
    hash: string | undefined,
  ): Promise<WatchPayload> {
    const key = [kind, namespace, object, state, summary.resourceVersion, hash, granted.id].join('/');
    return this.#shown.get(key, async () => {
      const found = await this.#bodies.get(kind, namespace, object);
      if (found === undefined || found.version.config !== name)
        throw new StatusError(
          404,
          'NotFound',
          `the version that this pod should run, ${kind} "${object}", does not exist`,
        );
      const shown = presentCurrent(found.version, found.body, summary, { assigned: hash });
      const value = new WatchPayload(presentForPod(shown, granted.keys));
      return { value, bytes: value.heldBytes };
    });
  }

  /** An unmanaged config: the pod gets the content that it would mount. */
  async #live(
    { kind, namespace, name }: ConfigAddress,
    granted: Granted,
    signal: AbortSignal,
  ): Promise<AppliedVersion | undefined> {
    const configs = await this.#watches.configs(kind, namespace, signal);
    const resourceVersion = configs.cache.get(`${namespace}/${name}`);
    if (resourceVersion === undefined) return undefined;
    const key = `live/${kind}/${namespace}/${name}/${resourceVersion}/${granted.id}`;
    return {
      key,
      resourceVersion,
      managed: false,
      read: () =>
        this.#shown.get(key, async () => {
          const body = await this.#client.get<ConfigBody>(configResources[kind], { namespace, name });
          // Users can set any annotation of a live config, also those that mean something on a version.
          const metadata = { ...body.metadata, annotations: {} };
          const live = { ...body, kind, apiVersion: 'v1', metadata };
          const shown = presentUnmanaged(live, unmanagedVersionName(body));
          const value = new WatchPayload(presentForPod(shown, granted.keys));
          return { value, bytes: value.heldBytes };
        }),
    };
  }

  async #workloadOf(
    { isInjected, workload: key }: PodNames,
    namespace: string,
    signal: AbortSignal,
  ): Promise<PodSource['workload']> {
    const { kind, name } = readWorkloadKey(key ?? '');
    if (!isInjected || !isWorkloadKind(kind) || name === '') return undefined;
    const { cache } = await this.#watches.workloads(kind, namespace, signal);
    return { namespace, kind, name, assigned: () => cache.get(`${namespace}/${name}`) };
  }

  async #podOf(pod: PodCaller, signal: AbortSignal): Promise<PodNames> {
    const watch = await this.#watches.pods(pod.namespace, signal);
    const seen = watch.cache.get(`${pod.namespace}/${pod.name}`);
    // The cache may be behind the assignment to a node, which is never undone.
    const found = seen?.uid === pod.uid && seen.hasNode ? seen : await this.#readPod(pod, signal);
    if (found === undefined) throw gone(pod);
    if (!found.hasNode) throw forbidden(pod, 'it is not assigned to a node yet, so no kubelet runs it');
    refuseEnded(pod, found);
    return found;
  }

  async #readPod({ namespace, name, uid }: PodCaller, signal: AbortSignal): Promise<PodNames | undefined> {
    const found = await getIfExists<KubeObject>(this.#client, pods, { namespace, name }, { signal });
    return found?.metadata.uid === uid ? podNames(found) : undefined;
  }

  /** The names in a pod's spec that refer to this config: its own name, or names of its versions. */
  async #reference(
    grants: PodGrants,
    { kind, namespace, name }: ConfigAddress,
  ): Promise<PodReference & { keys: GrantedKeys }> {
    const own = [...grants].flatMap(([key, keys]) => {
      const named = readConfigKey(key);
      return named.kind === kind ? [{ name: named.name, keys }] : [];
    });
    const candidates = own.filter((each) => mayBeVersionOf(name, each.name));
    const bodies = await Promise.all(candidates.map((each) => this.#bodies.get(kind, namespace, each.name)));
    const isIts = (body: VersionBody | undefined) => body?.version.config === name;
    const versions = candidates.filter((_, index) => isIts(bodies[index]));
    const original = own.filter((each) => each.name === name);
    return {
      versions: versions.map((each) => each.name),
      original: original.length > 0,
      keys: unionOfKeys([...versions, ...original].map(({ keys }) => keys)),
    };
  }
}

interface ChosenVersion {
  object: string | undefined;
  hash?: string;
}

/**
 * Chooses the version of an injected pod: what its workload is assigned, or the current version. A label-selected watch
 * reports a workload without its label as deleted, for example after `kubectl replace`. The last assignment applies until
 * the controller has assigned the workload again.
 */
function reloadedVersion(
  { kind, name }: ConfigAddress,
  assigned: (() => AssignedWorkload | undefined) | undefined,
): (known: RolloutSummary) => ChosenVersion {
  let last: ChosenVersion | undefined;
  return ({ current }) => {
    const workload = assigned?.();
    const object = workload?.versions.get(configKey(kind, name));
    if (workload !== undefined && object !== undefined) last = { object, hash: workload.hash };
    return last ?? { object: current?.object };
  };
}

function forbidden({ name }: PodCaller, why: string): StatusError {
  return new StatusError(403, 'Forbidden', `pod "${name}" may not read this config: ${why}`);
}

/** The kubelet gives nothing to a pod whose containers do not run again. */
function refuseEnded(pod: PodCaller, { endedAs }: PodNames): void {
  if (endedAs !== undefined) throw forbidden(pod, `it has ended with phase ${endedAs}`);
}

function gone({ name, uid }: PodCaller): StatusError {
  return new StatusError(403, 'Forbidden', `pod "${name}" with uid ${uid} no longer exists`);
}
