import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { LeastRecentlyUsed } from '@trimtab/kube/limits/least-recently-used.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { ConnectionPool } from '@trimtab/kube/transport/connection-pool.ts';
import { type HttpClientOptions, httpClient } from '@trimtab/kube/transport/http-client.ts';
import { RequestScheduler } from '@trimtab/kube/transport/request-scheduler.ts';
import { canonicalPrincipal } from '../identity/canonical-credential.ts';
import { fingerprint } from '../identity/fingerprint.ts';
import type { CertificatePrincipal, Principal } from '../identity/principal.ts';

export interface UpstreamOptions {
  /** Address of the API server, and the gateway's own credentials, which requests of bearer principals never use. */
  access: ClusterAccess;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  /** Time limit of one API call. Defaults to 30 s. */
  timeoutMs?: number;
}

/** API calls of one caller at the same time. Those of all callers are not limited: a slow one would delay the others. */
const requestsAtOncePerCaller = 32;
/** Beyond this number, the least recently used caller starts to count again. */
const maxCallers = 10_000;

/** A stream reads the current version with the rights of its user, and must follow again soon after an outage. */
export const maxRetryAfterMs = 1_500;

/** Connections and identity for one proxied request. */
export interface Destination {
  pool: ConnectionPool;
  trace: RequestTrace;
  /** Headers that replace the caller's credentials: names and values. Undefined when the caller's own are sent. */
  identity: readonly string[] | undefined;
  /** To be called when the API server responds with 401: the credentials are then read again. */
  refused(): void;
}

/** What the audit log tells about a request, beside its identity. */
export interface RequestTrace {
  /** Address of the client. */
  address: string;
  auditId: string;
}

/** The API server behind the gateway: connection pools, and clients that act as a principal. */
export class Upstream {
  /** Connections without credentials, for callers who send their own. */
  readonly pool: ConnectionPool;
  readonly #options: UpstreamOptions;
  readonly #anonymous: Pick<ClusterAccess, 'server' | 'namespace' | 'tls'>;
  /** Connections that may present the gateway's client certificate. */
  readonly #ownPool: ConnectionPool;
  readonly #schedulers = new LeastRecentlyUsed<RequestScheduler>(maxCallers);

  constructor(options: UpstreamOptions) {
    const { access, clock = systemClock } = options;
    this.#options = options;
    this.#anonymous = {
      server: access.server,
      namespace: access.namespace,
      // A client certificate takes precedence over the caller's token: every caller would get the gateway's rights.
      tls: async () => {
        const { cert: _, key: __, ...trust } = await access.tls();
        return trust;
      },
    };
    this.pool = new ConnectionPool({ ...this.#anonymous, headers: async () => ({}) }, clock);
    this.#ownPool = new ConnectionPool(access, clock);
  }

  /** A client that acts as this principal. For a certificate it uses the gateway's right to impersonate. */
  clientOf(
    principal: Principal,
    userAgent: string,
    { address, auditId }: RequestTrace,
    parsing: Pick<HttpClientOptions, 'beforeParsing'> = {},
  ): KubeClient {
    const { access, ...options } = { ...this.#options, ...parsing };
    const rest = { ...options, maxRetryAfterMs, scheduler: this.#schedulerOf(principal) };
    const from = { 'x-forwarded-for': address, 'audit-id': auditId };
    if (principal.is === 'bearer') {
      const own = { ...this.#anonymous, headers: async () => ({ ...principal.headers, ...from }) };
      const repeatedHeaders = principal.impersonation;
      return httpClient({ ...rest, access: { ...own, repeatedHeaders }, userAgent, pool: this.pool });
    }
    const repeatedHeaders = principal.is === 'certificate' ? impersonating(principal) : {};
    const headers = async () => ({ ...(await access.headers()), ...from });
    return httpClient({
      ...{ ...rest, userAgent, pool: this.#ownPool },
      access: { ...access, headers, repeatedHeaders },
    });
  }

  /** Connections and identity for the proxied requests of this principal. */
  async destinationOf(principal: Principal, trace: RequestTrace): Promise<Destination> {
    if (principal.is === 'bearer') return { pool: this.pool, trace, identity: undefined, refused() {} };
    const { access } = this.#options;
    const impersonation = principal.is === 'certificate' ? impersonating(principal) : {};
    const identity = [
      ...Object.entries(await access.headers()).flat(),
      ...Object.entries(impersonation).flatMap(([name, values]) => values.flatMap((value) => [name, value])),
    ];
    return {
      pool: this.#ownPool,
      trace,
      identity,
      refused: () => {
        access.invalidate?.();
        this.#ownPool.renew();
      },
    };
  }

  #schedulerOf(principal: Principal): RequestScheduler {
    const key = fingerprint(JSON.stringify(canonicalPrincipal(principal)));
    const { clock = systemClock } = this.#options;
    const scheduler = this.#schedulers.get(key) ?? new RequestScheduler(requestsAtOncePerCaller, clock);
    this.#schedulers.set(key, scheduler);
    return scheduler;
  }

  close(): void {
    this.pool.close();
    this.#ownPool.close();
  }
}

function impersonating({ user, groups }: CertificatePrincipal): Record<string, string[]> {
  return {
    'impersonate-user': [headerValue(user)],
    ...(groups.length > 0 && { 'impersonate-group': groups.map(headerValue) }),
  };
}

/** Node writes a header as Latin-1, and API servers read it as UTF-8. */
function headerValue(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
