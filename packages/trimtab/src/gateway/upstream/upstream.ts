import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { ConnectionPool } from '@trimtab/kube/transport/connection-pool.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { CertificatePrincipal, Principal } from '../identity/principal.ts';

export interface UpstreamOptions {
  /** Where the API server is, and who the gateway is; its identity is used for nobody but those it vouches for. */
  access: ClusterAccess;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  /** How long a call of a client may take; 30 s unless told. */
  timeoutMs?: number;
}

/** The way to the API server for one request. */
export interface Destination {
  pool: ConnectionPool;
  /** Names and values that say who asks, in place of the caller's; undefined when theirs pass. */
  identity: readonly string[] | undefined;
  /** The API server does not know who asks. */
  refused(): void;
}

/** The API server behind the gateway: pools of connections, and clients that ask as somebody. */
export class Upstream {
  /** Its connections carry no identity: whoever asks brings their own. */
  readonly pool: ConnectionPool;
  readonly #options: UpstreamOptions;
  readonly #anonymous: Pick<ClusterAccess, 'server' | 'namespace' | 'tls'>;
  /** Its connections may carry our client certificate. */
  readonly #ownPool: ConnectionPool;

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
    this.#ownPool = new ConnectionPool(access, clock);
  }

  /** A client that asks as this caller, with none of our rights but to vouch for who they are. */
  clientOf(principal: Principal, userAgent: string): KubeClient {
    const { access, ...rest } = this.#options;
    if (principal.is === 'bearer') {
      const own = { ...this.#anonymous, headers: async () => ({ ...principal.headers }) };
      const repeatedHeaders = principal.impersonation;
      return httpClient({ ...rest, access: { ...own, repeatedHeaders }, userAgent, pool: this.pool });
    }
    const repeatedHeaders = principal.is === 'certificate' ? impersonating(principal) : {};
    return httpClient({ ...rest, access: { ...access, repeatedHeaders }, userAgent, pool: this.#ownPool });
  }

  /** The same for requests that pass through. */
  async destinationOf(principal: Principal): Promise<Destination> {
    if (principal.is === 'bearer') return { pool: this.pool, identity: undefined, refused() {} };
    const { access } = this.#options;
    const impersonation = principal.is === 'certificate' ? impersonating(principal) : {};
    const identity = [
      ...Object.entries(await access.headers()).flat(),
      ...Object.entries(impersonation).flatMap(([name, values]) => values.flatMap((value) => [name, value])),
    ];
    return {
      pool: this.#ownPool,
      identity,
      refused: () => {
        access.invalidate?.();
        this.#ownPool.renew();
      },
    };
  }

  close(): void {
    this.pool.close();
    this.#ownPool.close();
  }
}

function impersonating({ user, groups }: CertificatePrincipal): Record<string, string[]> {
  return { 'impersonate-user': [user], ...(groups.length > 0 && { 'impersonate-group': [...groups] }) };
}
