import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { pods } from '@trimtab/kube/resource.ts';
import type { Pod } from '../../objects/pod.ts';
import { type ReadConfig, readConfigsFrom, readEachOnce } from '../configs/read-config.ts';
import type { PodContext } from '../container-setup.ts';
import { PodTokens } from './pod-tokens.ts';
import { PodVolumes } from './pod-volumes.ts';

interface RefreshOptions {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  refreshMs: number;
}

/** The volumes of all pods, refreshed every `refreshMs`. A refresh reads each config once for all its pods. */
export class RefreshedVolumes {
  readonly #options: RefreshOptions;
  readonly #pods = new Map<string, PodVolumes>();
  #cancel: () => void = () => {};
  #refreshing: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(options: RefreshOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** Sets up a pod's volumes and keeps them up to date from then on. Returns false when a volume failed. */
  setUp(place: PodContext, signal: AbortSignal): Promise<boolean> {
    const { uid = '' } = place.pod.metadata;
    const { client, clock } = this.#options;
    const known = this.#pods.get(uid) ?? new PodVolumes(place, new PodTokens(client, clock), clock);
    this.#pods.set(uid, known);
    const either = AbortSignal.any([signal, this.#closing.signal]);
    return known.setUp(place, this.#reader(either), either);
  }

  /** Once this resolves, nothing writes to the pod's folder any more. */
  async release(uid: string): Promise<void> {
    const known = this.#pods.get(uid);
    this.#pods.delete(uid);
    await known?.close();
  }

  async close(): Promise<void> {
    this.#closing.abort(new DOMException('kubelet is shutting down', 'AbortError'));
    this.#cancel();
    await this.#refreshing;
    await Promise.all([...this.#pods.values()].map((each) => each.close()));
  }

  #schedule(): void {
    if (this.#closing.signal.aborted) return;
    this.#cancel = this.#options.clock.after(this.#options.refreshMs, () => {
      this.#refreshing = this.#refreshAll().then(() => this.#schedule());
    });
  }

  async #refreshAll(): Promise<void> {
    const { signal } = this.#closing;
    const read = this.#reader(signal);
    for (const volumes of this.#pods.values()) {
      if (signal.aborted) return;
      try {
        const newest = volumes.followsPod ? await this.#newest(volumes.place.pod) : undefined;
        await volumes.refresh(read, signal, newest);
      } catch (err) {
        if (signal.aborted) return;
        this.#options.log.warn(
          { err, pod: volumes.place.pod.metadata.name },
          'refresh of volumes failed; retrying',
        );
      }
    }
  }

  #reader(signal: AbortSignal): ReadConfig {
    return readEachOnce(readConfigsFrom(this.#options.client, signal));
  }

  /** The pod as the API server has it, or the known pod when it is deleted, replaced or cannot be read. */
  async #newest(pod: Pod): Promise<Pod> {
    const { namespace = '', name = '', uid } = pod.metadata;
    const found = await this.#options.client
      .get<Pod>(pods, { namespace, name }, { signal: this.#closing.signal })
      .catch(() => pod);
    return found.metadata.uid === uid ? found : pod;
  }
}
