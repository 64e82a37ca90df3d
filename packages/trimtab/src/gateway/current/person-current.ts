import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { type RolloutSummary, rolloutSummary } from '../../core/version/applied-version.ts';
import { firstVersionName } from '../../core/version/version-name.ts';
import { readLive, readRollout, readVersion } from '../../versions/read-config.ts';
import { presentUnmanaged } from '../../versions/reads/present.ts';
import { readCurrentVersion } from '../../versions/reads/read-current-version.ts';
import { notFound } from '../../versions/refusal.ts';
import type { AppliedVersion, VersionSource } from '../streams/version-source.ts';
import { WatchPayload } from '../streams/watch-payload.ts';
import { plurals } from '../versions/addressing/config-address.ts';
import { presentCurrent } from './present-current.ts';

interface PersonVersion extends AppliedVersion {
  version: string;
  /** The version that is being rolled out. */
  next?: string | undefined;
}

/** The current version of a config, read with the caller's rights. */
export class PersonCurrent implements VersionSource {
  readonly #client: KubeClient;
  readonly #address: ConfigAddress;

  constructor(client: KubeClient, address: ConfigAddress) {
    this.#client = client;
    this.#address = address;
  }

  async now(signal: AbortSignal): Promise<AppliedVersion | undefined> {
    return this.of(await readRollout(this.#client, this.#address, signal), signal);
  }

  /** The version that is current by this state of the ConfigRollout. */
  async of(rollout: ConfigRollout | undefined, signal: AbortSignal): Promise<PersonVersion | undefined> {
    const managed = rollout && (await this.#managed(rollout, signal));
    return managed ?? this.#unmanaged(signal);
  }

  async #managed(rollout: ConfigRollout, signal: AbortSignal): Promise<PersonVersion | undefined> {
    const summary = rolloutSummary(rollout);
    const version = await readCurrentVersion(this.#client, this.#address, rollout, signal);
    // When all versions are deleted, the status still names one; `read` then reports that it does not exist.
    const current =
      version === undefined ? summary.current : { version: version.name, object: version.object };
    if (current === undefined) return undefined;
    const known: RolloutSummary = { ...summary, current };
    const next = known.target?.object === current.object ? undefined : known.target?.version;
    return {
      version: current.version,
      next,
      key: `${summary.uid} ${version === undefined ? 'deleted ' : ''}${current.object} ${next ?? ''}`,
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
        return new WatchPayload(presentCurrent(found.version, found.body, known, { beingCurrent: next }));
      },
    };
  }

  async #unmanaged(signal: AbortSignal): Promise<PersonVersion | undefined> {
    const live = await readLive(this.#client, this.#address, signal);
    if (live === undefined) return undefined;
    const { uid, resourceVersion = '' } = live.metadata;
    return {
      version: firstVersionName,
      key: `live ${uid} ${resourceVersion}`,
      resourceVersion,
      managed: false,
      read: async () =>
        new WatchPayload(presentUnmanaged({ ...live, kind: this.#address.kind, apiVersion: 'v1' })),
    };
  }
}
