import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { services } from '@trimtab/kube/resource.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { Pod } from '../../objects/pod.ts';
import type { Service } from '../../objects/service.ts';
import { type ApiServerAddress, linkedServices } from './service-variables.ts';

interface KnownServicesOptions {
  client: KubeClient;
  log: Logger;
  apiServer: ApiServerAddress | undefined;
}

const ofApiServer = 'default/kubernetes';

/** Caches all Services through a watch, as kubelet does, so that the start of a container needs no request. */
export class KnownServices {
  readonly #apiServer: ApiServerAddress | undefined;
  readonly #reflector: Reflector<Service, 'namespace'>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ client, log, apiServer }: KnownServicesOptions) {
    this.#apiServer = apiServer;
    this.#reflector = new Reflector<Service, 'namespace'>({
      name: 'kubelet-services',
      client,
      resource: services,
      projection: 'full',
      transform: ({ metadata: { name = '', namespace = '' }, ...rest }) => ({
        metadata: { name, namespace },
        spec: (rest as Service).spec,
      }),
      indexes: { namespace: ({ metadata }) => [metadata.namespace ?? ''] },
      log,
    });
    this.#running = this.#reflector.run(this.#stop.signal).catch((err: unknown) => {
      log.error({ err }, 'watch of Services failed');
    });
  }

  /** The Services, as currently cached, for which a container of the pod gets variables. */
  async linkedTo(pod: Pod, signal: AbortSignal): Promise<Service[]> {
    await this.#reflector.waitForSync(signal);
    const { namespace = '' } = pod.metadata;
    const { cache } = this.#reflector;
    const keys = [ofApiServer, ...[...cache.keysBy('namespace', namespace)].sort()];
    return linkedServices(
      keys.flatMap((key) => cache.get(key) ?? []),
      {
        namespace,
        links: pod.spec.enableServiceLinks ?? true,
        ...(this.#apiServer !== undefined && { apiServer: this.#apiServer }),
      },
    );
  }

  async close(): Promise<void> {
    this.#stop.abort(new DOMException('kubelet is shutting down', 'AbortError'));
    await this.#running;
  }
}
