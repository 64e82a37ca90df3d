import type { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { Pod } from '../../objects/pod.ts';
import { type ContainerAccess, ContainerUnreachable } from '../server/container-access.ts';
import type { KubeletServices } from './kubelet-services.ts';
import { addressIn, PodFolder, type PodState, podFolders } from './pod-folder.ts';
import { PodWorker } from './pod-worker.ts';

/** One worker per pod of the node, by UID: a later pod of the same name is a different pod. */
export class PodWorkers {
  readonly #known: Map<string, PodState>;
  readonly #podsDir: string;
  readonly #workers = new Map<string, PodWorker>();
  readonly #begun = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #unsubscribe: () => void = () => {};
  #isLeaving = false;

  constructor(known: readonly PodState[], podsDir: string) {
    this.#known = new Map(known.map((state) => [state.uid, state]));
    this.#podsDir = podsDir;
  }

  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Resolves when `leave` was called and no worker is left. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  begin(services: KubeletServices, reflector: Reflector<Pod>): void {
    if (this.#isLeaving) return;
    for (const state of this.#known.values()) {
      const address = addressIn(state);
      if (address !== undefined) services.network.keep(state.uid, address);
    }
    this.#unsubscribe = reflector.subscribe(({ before, after }) => {
      if (before !== undefined && before.metadata.uid !== after?.metadata.uid)
        this.#workers.get(before.metadata.uid ?? '')?.objectGone();
      if (after !== undefined) this.#take(services, after);
    });
    const present = new Set([...reflector.cache.keys()].map((key) => reflector.cache.get(key)?.metadata.uid));
    for (const uid of podFolders(this.#podsDir)) if (!present.has(uid)) this.#discard(services, uid);
    this.#begun.resolve();
  }

  /** The containers as the kubelet's server reaches them. */
  access(): ContainerAccess {
    return {
      running: (namespace, pod, container) => {
        const running = this.#find(namespace, pod)?.running(container);
        if (running === undefined)
          throw new ContainerUnreachable(500, `container not found ("${container}")`);
        return running;
      },
      ports: (namespace, pod) => {
        const target = this.#find(namespace, pod)?.ports();
        if (target === undefined)
          throw new ContainerUnreachable(500, `pod not found ("${pod}_${namespace}")`);
        return target;
      },
      logs: ({ namespace, pod, container }, options, signal) => {
        const worker = this.#find(namespace, pod);
        if (worker === undefined)
          throw new ContainerUnreachable(404, `pod "${pod}" cannot be found - no logs available`);
        return worker.logs(container, options, signal);
      },
    };
  }

  leave(patienceSeconds: number | undefined): void {
    this.#isLeaving = true;
    this.#unsubscribe();
    for (const worker of this.#workers.values()) worker.leave(patienceSeconds);
    this.#endWhenEmpty();
  }

  #take(services: KubeletServices, pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const worker = this.#workers.get(uid);
    worker?.update(pod);
    if (worker !== undefined || this.#isLeaving) return;
    const fresh = new PodWorker(services, pod, this.#known.get(uid));
    this.#known.delete(uid);
    this.#workers.set(uid, fresh);
    void fresh.done.then(() => {
      this.#workers.delete(uid);
      this.#endWhenEmpty();
    });
  }

  /** The newer one of two pods with the same name. */
  #find(namespace: string, name: string): PodWorker | undefined {
    return [...this.#workers.values()].findLast(
      ({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === name,
    );
  }

  /** Removes the data of a pod whose object was deleted while no kubelet was running. */
  #discard(services: KubeletServices, uid: string): void {
    this.#known.delete(uid);
    services.network.giveBack(uid);
    new PodFolder(this.#podsDir, uid).remove().catch((err: unknown) => {
      services.log.warn({ err }, 'removal of pod folder failed');
    });
  }

  #endWhenEmpty(): void {
    if (this.#isLeaving && this.#workers.size === 0) this.#ended.resolve();
  }
}
