import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { pods } from '@trimtab/kube/resource.ts';
import type { Pod } from '../../objects/pod.ts';
import { type ReadConfig, readConfigsFrom, readEachOnce } from '../configs/read-config.ts';
import type { PodPlace } from '../container-setup.ts';
import { PodTokens } from './pod-tokens.ts';
import { PodVolumes } from './pod-volumes.ts';

interface RefreshOptions {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  refreshMs: number;
}

/** The volumes of all pods, looked at every `refreshMs`: each config is read once for all pods that mount it. */
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

  /** False when a volume cannot be had now. From here on they are kept up to date. */
  setUp(place: PodPlace, signal: AbortSignal): Promise<boolean> {
    const { uid = '' } = place.pod.metadata;
    const { client, clock } = this.#options;
    const known = this.#pods.get(uid) ?? new PodVolumes(place, new PodTokens(client, clock), clock);
    this.#pods.set(uid, known);
    const either = AbortSignal.any([signal, this.#closing.signal]);
    return known.setUp(place, this.#reader(either), either);
  }

  /** When it is done, nothing writes into the pod's folder any more. */
  async release(uid: string): Promise<void> {
    const known = this.#pods.get(uid);
    this.#pods.delete(uid);
    await known?.close();
  }

  async close(): Promise<void> {
    this.#closing.abort(new DOMException('the kubelet ends', 'AbortError'));
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
        this.#options.log.warn({ err, pod: volumes.place.pod.metadata.name }, 'volumes not refreshed');
      }
    }
  }

  #reader(signal: AbortSignal): ReadConfig {
    return readEachOnce(readConfigsFrom(this.#options.client, signal));
  }

  /** As it was when it is gone, replaced, or cannot be read. */
  async #newest(pod: Pod): Promise<Pod> {
    const { namespace = '', name = '', uid } = pod.metadata;
    const found = await this.#options.client
      .get<Pod>(pods, { namespace, name }, { signal: this.#closing.signal })
      .catch(() => pod);
    return found.metadata.uid === uid ? found : pod;
  }
}
