import type { IncomingMessage } from 'node:http';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { type HttpServer, startHttpServer } from '@trimtab/kube/http/http-server.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import type { MaterialSource } from '@trimtab/kube/tls/material.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { admitRequest, type PodToken } from './admit-request.ts';
import { StatusError } from './answer/status-error.ts';
import { type Current, type CurrentOptions, startCurrent } from './current/start-current.ts';
import { type DispatchOptions, dispatch } from './dispatch.ts';
import { dispatchUpgrade } from './dispatch-upgrade.ts';
import { usernames } from './identity/authenticate.ts';
import { podIdentifier } from './identity/identify-pod.ts';
import { personCaller } from './identity/person.ts';
import type { Principal } from './identity/principal.ts';
import { BodyBudget } from './limits/body-budget.ts';
import { limitMetrics } from './limits/limit-metrics.ts';
import { type LoadLimits, noLoadLimits } from './limits/load-limits.ts';
import type { RateLimits } from './limits/rate-limit.ts';
import { RequestsInFlight } from './limits/requests-in-flight.ts';
import { Turns } from './limits/turns.ts';
import { passMetrics } from './proxy/pass-metrics.ts';
import { type PassOptions, passThrough } from './proxy/pass-through.ts';
import { passUpgrade } from './proxy/pass-upgrade.ts';
import { wantedUpgrade } from './proxy/request-headers.ts';
import type { Caller } from './request/gateway-request.ts';
import { gatewayMetrics } from './request-metrics.ts';
import { routeTable } from './route/match.ts';
import { allRoutes } from './routes.ts';
import { Upstream } from './upstream/upstream.ts';
import { proposalRoutes } from './workloads/proposal-routes.ts';

export interface GatewayOptions {
  /** Address of the API server, and the gateway's own credentials. */
  access: ClusterAccess;
  host: string;
  port: number;
  /** Name of the flag that sets the port, for the error when the port is in use. */
  portFlag?: string;
  /** Without it the gateway serves plain HTTP, which is for loopback addresses only. */
  tls?: { material: MaterialSource };
  /** Whether client certificates of `material.clientAuthority` are accepted. Defaults to false. */
  clientCertificates?: boolean;
  /** `gateway` uses each caller's own credentials, `proxy` those of `access`. Defaults to `gateway`. */
  mode?: 'gateway' | 'proxy';
  limits?: RateLimits;
  /** None by default, and for `trimtab proxy`, which serves one user. */
  load?: LoadLimits;
  /**
   * Time limit for the head of the response to a proxied request. Defaults to 65 s, because API servers give up after
   * 60 s. It also limits each API call of the gateway's own routes, where it defaults to 30 s.
   */
  answerTimeoutMs?: number;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  /** Options of `…/current` and its watches. */
  current?: Pick<
    CurrentOptions,
    'namespace' | 'perNamespace' | 'secrets' | 'maxStreamsPerPod' | 'maxBufferBytes'
  >;
}

export interface Gateway {
  url: string;
  /** Ends watches at once; requests in progress and exec sessions have `graceMs` to finish. */
  close(graceMs: number): Promise<void>;
}

const defaultLimits: RateLimits = { requestsPerSecond: 1000, burst: 2000 };

/** Tokens with many groups are long. API servers accept even larger headers. */
const maxHeaderBytes = 64 * 1024;
/** Bodies of proxied requests may be large (an upload through a Service), and the connection slow. */
const requestTimeoutMs = 10 * 60_000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { access, log, metrics: registry, clock, mode = 'gateway', limits = defaultLimits } = options;
  const { load = noLoadLimits } = options;
  const timed = clock === undefined ? {} : { clock };
  const measured = registry === undefined ? {} : { metrics: registry };
  const { answerTimeoutMs } = options;
  const upstream = new Upstream({
    ...{ access, log, ...timed, ...measured },
    ...(answerTimeoutMs !== undefined && { timeoutMs: answerTimeoutMs }),
  });
  const own = httpClient({ access, log, userAgent: 'trimtab-gateway', ...timed, ...measured });
  const current = currentOf(options, own);
  const identifyPod = podIdentifier(own, clock ?? systemClock);
  const username = usernames(clock ?? systemClock);
  const inFlight = new RequestsInFlight(load.maxRequestsInFlight);
  const serving = { budget: new BodyBudget(), turns: new Turns(), clock: clock ?? systemClock };
  const refusedConnection = limitMetrics(registry, { inFlight, ...serving });
  const stop = new AbortController();
  const pass: PassOptions = {
    ...timed,
    metrics: passMetrics(registry),
    stopping: stop.signal,
    answerTimeoutMs: answerTimeoutMs ?? 65_000,
  };
  const dispatching: DispatchOptions = {
    ...timed,
    routes: routeTable([...allRoutes(() => current), ...proposalRoutes()]),
    admit: admitRequest({ mode, limits, ...timed }),
    identify: (principal, incoming, signal) =>
      identify({ identifyPod, username, upstream }, principal, incoming, signal),
    ...{ inFlight, serving },
    pass: async (principal, incoming, response, body) =>
      passThrough(pass, await upstream.destinationOf(principal), incoming, response, body),
    stopping: stop.signal,
    metrics: gatewayMetrics(registry),
    log,
  };
  const upgrading = {
    ...dispatching,
    passUpgrade: async (principal: Principal, ...[incoming, socket, head]: Parameters<Upgrade>) =>
      passUpgrade(
        pass,
        await upstream.destinationOf(principal),
        incoming,
        socket,
        head,
        protocolOf(incoming) ?? '',
      ),
  };
  const { host, port, portFlag, tls, clientCertificates } = options;
  const server: HttpServer = await startHttpServer({
    name: 'gateway',
    ...{ host, port, log, ...timed, maxHeaderBytes, requestTimeoutMs },
    connectionLimits: { ...load, onRefused: refusedConnection },
    ...(portFlag !== undefined && { portFlag }),
    ...(tls && { tls: { ...tls, clientCertificates: clientCertificates ? 'optional' : 'none' } }),
    handler: (incoming, response) => dispatch(dispatching, incoming, response),
    upgrade: {
      wanted: (incoming) => protocolOf(incoming) !== undefined,
      handler: (incoming, socket, head) => dispatchUpgrade(upgrading, incoming, socket, head),
    },
  });
  return {
    url: server.url,
    async close(graceMs) {
      const message = 'the gateway is shutting down; retry the request';
      stop.abort(new StatusError(503, 'ServiceUnavailable', message, undefined, { 'retry-after': '1' }));
      await current.close();
      await server.close(graceMs);
      upstream.close();
      own.close();
    },
  };
}

type Upgrade = NonNullable<Parameters<typeof startHttpServer>[0]['upgrade']>['handler'];

function protocolOf({ headers: { connection, upgrade } }: IncomingMessage): string | undefined {
  return wantedUpgrade({
    ...(connection !== undefined && { connection }),
    ...(upgrade !== undefined && { upgrade }),
  });
}

/** `trimtab proxy` watches each requested namespace separately: its user may have rights in some namespaces only. */
function currentOf({ current, mode, log, metrics, clock }: GatewayOptions, client: KubeClient): Current {
  return startCurrent({
    perNamespace: mode === 'proxy',
    ...current,
    ...{ client, clock: clock ?? systemClock, log },
    ...(metrics && { metrics }),
  });
}

interface Identifying {
  identifyPod: (token: string, signal: AbortSignal) => Promise<Caller>;
  username: ReturnType<typeof usernames>;
  upstream: Upstream;
}

async function identify(
  { identifyPod, username, upstream }: Identifying,
  principal: Principal | PodToken,
  { headers }: IncomingMessage,
  signal: AbortSignal,
): Promise<Caller> {
  if (principal.is !== 'pod-token')
    return personCaller(
      upstream.clientOf(principal, `trimtab-gateway for ${headers['user-agent'] ?? 'unknown'}`),
      (review) => username(principal, review),
    );
  return identifyPod(principal.token, signal);
}
