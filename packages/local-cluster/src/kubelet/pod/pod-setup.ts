import type { Pod } from '../../objects/pod.ts';
import type { KubeletServices, PodAddress } from './kubelet-services.ts';
import type { PodFolder } from './pod-folder.ts';

interface PlacementOptions {
  services: KubeletServices;
  folder: PodFolder;
  pod: () => Pod;
  /** The pod's address before the kubelet was started. */
  had: PodAddress | undefined;
  /** Stores the address on disk; throws when it fails. */
  save(address: PodAddress): void;
  wake(): void;
  signal: AbortSignal;
}

const firstDelayMs = 500;
const maxDelayMs = 122_000;

/** Prepares a pod for its first container: folder, address and volumes. Retries until it succeeds. */
export class PodSetup {
  readonly #options: PlacementOptions;
  #address: PodAddress | undefined;
  #isReady = false;
  #isUnderWay = false;
  #failures = 0;

  constructor(options: PlacementOptions) {
    this.#options = options;
  }

  get address(): PodAddress | undefined {
    return this.#address;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  ensure(): void {
    if (this.#isReady || this.#isUnderWay) return;
    this.#isUnderWay = true;
    void this.#try();
  }

  async #try(): Promise<void> {
    const { services, pod, signal, wake } = this.#options;
    try {
      this.#isReady = await this.#place();
    } catch (error) {
      if (signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      services.tell(pod(), 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${message}`);
      services.log.warn({ err: error, object: pod().metadata }, 'setup of pod failed; retrying');
    }
    if (this.#isReady) return wake();
    const delayMs = Math.min(firstDelayMs * 2 ** this.#failures++, maxDelayMs);
    const cancel = services.clock.after(delayMs, () => {
      this.#isUnderWay = false;
      wake();
    });
    signal.addEventListener('abort', cancel, { once: true });
  }

  /** Returns false when the volumes are not ready; their setup reports the reason. */
  async #place(): Promise<boolean> {
    const { services, folder, had, save, signal } = this.#options;
    const { network, setup, allocatable } = services;
    const pod = this.#options.pod();
    this.#address ??= await network.take(pod, had);
    if (this.#address === undefined) throw new Error('no pod address or port is available');
    if (signal.aborted) network.giveBack(pod.metadata.uid ?? '');
    signal.throwIfAborted();
    save(this.#address);
    const place = {
      pod,
      folder: folder.path,
      podIP: this.#address.ip,
      hostIP: network.hostIP,
      allocatable,
      tell: (type: 'Normal' | 'Warning', reason: string, message: string) =>
        services.tell(pod, type, reason, message),
    };
    return (await setup.preparePod(place, signal)) === undefined;
  }
}
