import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { type RolloutMarks, rolloutMarks } from '../../core/version/applied-version.ts';
import { notFound } from '../answer/status-error.ts';
import { Shown } from '../streams/shown.ts';
import type { Applied, Subject } from '../streams/subject.ts';
import { type ConfigAddress, plurals } from '../versions/addressing/config-address.ts';
import { presentUnmanaged } from '../versions/reads/present.ts';
import { readLive, readRollout, readVersion } from '../versions/reads/read-config.ts';
import { readCurrentHead } from '../versions/reads/read-current-head.ts';
import { presentCurrent } from './present-current.ts';

/** The version of a config that is current, read as the person who asks. */
export class PersonCurrent implements Subject {
  readonly #client: KubeClient;
  readonly #address: ConfigAddress;

  constructor(client: KubeClient, address: ConfigAddress) {
    this.#client = client;
    this.#address = address;
  }

  async now(signal: AbortSignal): Promise<Applied | undefined> {
    const rollout = await readRollout(this.#client, this.#address, signal);
    const managed = rollout && (await this.#managed(rollout, signal));
    return managed ?? this.#unmanaged(signal);
  }

  async #managed(rollout: ConfigRollout, signal: AbortSignal): Promise<Applied | undefined> {
    const marks = rolloutMarks(rollout);
    const head = await readCurrentHead(this.#client, this.#address, rollout, signal);
    // The status may name one that is gone, with all the others: that is said when it is read.
    const current = head === undefined ? marks.current : { version: head.name, object: head.object };
    if (current === undefined) return undefined;
    const known: RolloutMarks = { ...marks, current };
    const next = known.target?.object === current.object ? undefined : known.target?.version;
    return {
      key: `${marks.uid} ${current.object} ${next ?? ''}`,
      resourceVersion: marks.resourceVersion,
      managed: true,
      read: async (reading) => {
        const found = await readVersion(this.#client, this.#address, rollout, current.version, reading);
        if (found === undefined) {
          const { kind, name } = this.#address;
          throw notFound(
            `version ${JSON.stringify(current.version)} of ${plurals[kind]} "${name}" is current, and somebody has deleted it: activate another one`,
            { kind: plurals[kind], name },
          );
        }
        return new Shown(presentCurrent(found.head, found.body, known, next));
      },
    };
  }

  async #unmanaged(signal: AbortSignal): Promise<Applied | undefined> {
    const live = await readLive(this.#client, this.#address, signal);
    if (live === undefined) return undefined;
    const { uid, resourceVersion = '' } = live.metadata;
    return {
      key: `live ${uid} ${resourceVersion}`,
      resourceVersion,
      managed: false,
      read: async () => new Shown(presentUnmanaged({ ...live, kind: this.#address.kind, apiVersion: 'v1' })),
    };
  }
}
