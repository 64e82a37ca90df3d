import type { KubeClient } from '@trimtab/kube/client.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import { pendingVersion } from '../../core/activation/version-request.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { type RolloutSummary, rolloutSummary } from '../../core/version/applied-version.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import { unmanagedVersionName } from '../../core/version/unmanaged-version.ts';
import { readLive, readRollout, readVersion } from '../../versions/read-config.ts';
import { presentUnmanaged } from '../../versions/reads/present.ts';
import { readCurrentVersion } from '../../versions/reads/read-current-version.ts';
import { notFound } from '../../versions/refusal.ts';
import type { ClusterWatches } from '../streams/cluster-watches.ts';
import type { AppliedVersion, VersionSource } from '../streams/version-source.ts';
import { WatchPayload } from '../streams/watch-payload.ts';
import { plurals } from '../versions/addressing/config-address.ts';
import { presentCurrent } from './present-current.ts';

export interface PersonVersion extends AppliedVersion {
  version: string;
  /** The version that replaces it: requested, or being rolled out. */
  next?: { version: string; isInProgress: boolean } | undefined;
}

/** How long a 403 is delayed for a watch that is not synced: in `trimtab proxy` the caller may not watch either. */
const syncPatienceMs = 2_000;

/** The current version of a config, read with the caller's rights. */
export class PersonCurrent implements VersionSource {
  readonly #client: KubeClient;
  readonly #address: ConfigAddress;
  readonly #watches: Pick<ClusterWatches, 'rollouts'>;

  constructor(client: KubeClient, address: ConfigAddress, watches: Pick<ClusterWatches, 'rollouts'>) {
    this.#client = client;
    this.#address = address;
    this.#watches = watches;
  }

  async now(signal: AbortSignal): Promise<AppliedVersion | undefined> {
    try {
      return await this.of(await readRollout(this.#client, this.#address, signal), signal);
    } catch (error) {
      if (!isForbidden(error) || (await this.#mayBeManaged(signal))) throw error;
      return this.#unmanaged(signal);
    }
  }

  /** The version that is current by this state of the ConfigRollout. */
  async of(rollout: ConfigRollout | undefined, signal: AbortSignal): Promise<PersonVersion | undefined> {
    const managed = rollout && (await this.#managed(rollout, signal));
    return managed ?? this.#unmanaged(signal);
  }

  /**
   * Whether the config may be managed, for a caller who may read the config and not its ConfigRollout. Only the absence
   * of a ConfigRollout is used of the gateway's own watch, and a config with the label of a managed one shows as much.
   */
  async #mayBeManaged(signal: AbortSignal): Promise<boolean> {
    const { kind, namespace, name } = this.#address;
    // Every caller needs to read the config, so its 403 comes before that of the ConfigRollout.
    const live = await readLive(this.#client, this.#address, signal);
    if (live === undefined || live.metadata.labels?.[labels.config] !== undefined) return true;
    try {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(syncPatienceMs)]);
      const watch = await this.#watches.rollouts(namespace, patience);
      return watch.cache.get(`${namespace}/${rolloutName(kind, name)}`) !== undefined;
    } catch {
      signal.throwIfAborted();
      return true;
    }
  }

  async #managed(rollout: ConfigRollout, signal: AbortSignal): Promise<PersonVersion | undefined> {
    const summary = rolloutSummary(rollout);
    const version = await readCurrentVersion(this.#client, this.#address, rollout, signal);
    // When all versions are deleted, the status still names one; `read` then reports that it does not exist.
    const current =
      version === undefined ? summary.current : { version: version.name, object: version.object };
    if (current === undefined) return undefined;
    const known: RolloutSummary = { ...summary, current };
    const beingCurrent = known.target?.object === current.object ? undefined : known.target?.version;
    const requested = pendingVersion(rollout);
    const next = requested === current.version ? undefined : (requested ?? beingCurrent);
    const key = `${summary.uid} ${version === undefined ? 'deleted ' : ''}${current.object} ${beingCurrent ?? ''}`;
    return {
      version: current.version,
      next: next === undefined ? undefined : { version: next, isInProgress: next === beingCurrent },
      key,
      // The request of another caller fails a precondition, before its activation begins, too. No version name has a line
      // break.
      tagKey: next === beingCurrent ? key : `${key}\n${next ?? ''}`,
      resourceVersion: summary.resourceVersion,
      managed: true,
      read: async (reading) => {
        const found = await readVersion(this.#client, this.#address, rollout, current.version, reading);
        if (found === undefined) {
          const { kind, name } = this.#address;
          throw notFound(
            `version ${JSON.stringify(current.version)} of ${plurals[kind]} "${name}" is current but was deleted: activate another version`,
            { kind: plurals[kind], name },
          );
        }
        return new WatchPayload(presentCurrent(found.version, found.body, known, { beingCurrent }));
      },
    };
  }

  async #unmanaged(signal: AbortSignal): Promise<PersonVersion | undefined> {
    const live = await readLive(this.#client, this.#address, signal);
    if (live === undefined) return undefined;
    const { uid, resourceVersion = '' } = live.metadata;
    return {
      version: unmanagedVersionName(live),
      key: `live ${uid} ${resourceVersion}`,
      resourceVersion,
      managed: false,
      read: async () =>
        new WatchPayload(presentUnmanaged({ ...live, kind: this.#address.kind, apiVersion: 'v1' })),
    };
  }
}
