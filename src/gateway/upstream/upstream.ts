import type { ClusterAccess } from '../../kube/access.ts';
import type { KubeClient } from '../../kube/client.ts';
import { ConnectionPool } from '../../kube/transport/connection-pool.ts';
import { httpClient } from '../../kube/transport/http-client.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { Registry } from '../../platform/metrics.ts';

export interface UpstreamOptions {
  /** Where the API server is; of the identity in it, nothing is used. */
  access: ClusterAccess;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
}

/** The API server behind the gateway: one pool of connections, and clients that ask as somebody. */
export class Upstream {
  /** Its connections carry no identity: whoever asks brings their own. */
  readonly pool: ConnectionPool;
  readonly #options: UpstreamOptions;
  readonly #anonymous: Pick<ClusterAccess, 'server' | 'namespace' | 'tls'>;

  constructor(options: UpstreamOptions) {
    const { access, clock = systemClock } = options;
    this.#options = options;
    this.#anonymous = {
      server: access.server,
      namespace: access.namespace,
      // A client certificate would count more than the caller's token: everybody would have our rights.
      tls: async () => {
        const { cert: _, key: __, ...trust } = await access.tls();
        return trust;
      },
    };
    this.pool = new ConnectionPool({ ...this.#anonymous, headers: async () => ({}) }, clock);
  }

  /** A client with exactly these headers (authorization, impersonation) and none of ours. */
  clientWith(headers: Readonly<Record<string, string>>, userAgent: string): KubeClient {
    const { access: _, ...rest } = this.#options;
    const access = { ...this.#anonymous, headers: async () => ({ ...headers }) };
    return httpClient({ ...rest, access, userAgent, pool: this.pool });
  }

  close(): void {
    this.pool.close();
  }
}
