import type { IncomingMessage } from 'node:http';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { type HttpServer, startHttpServer } from '@trimtab/kube/http/http-server.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import type { MaterialSource } from '@trimtab/kube/tls/material.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { readUsername } from '../versions/reads/read-username.ts';
import { type AccessLogOptions, accessLog, noAccessLog } from './access-log/access-log.ts';
import { protocolErrorLog } from './access-log/protocol-error-log.ts';
import { RefusedLines } from './access-log/refused-lines.ts';
import { admitRequest } from './admit-request.ts';
import { protocolStatus } from './answer/protocol-status.ts';
import { StatusError } from './answer/status-error.ts';
import { clientAddresses } from './client/client-address.ts';
import { requestIds } from './client/request-id.ts';
import { type IsTrusted, trustedProxies } from './client/trusted-proxies.ts';
import { type Current, type CurrentOptions, startCurrent } from './current/start-current.ts';
import { type DispatchOptions, dispatch } from './dispatch.ts';
import { dispatchUpgrade } from './dispatch-upgrade.ts';
import { authenticate, usernames } from './identity/authenticate.ts';
import { callerNames } from './identity/caller-names.ts';
import { podIdentifier } from './identity/identify-pod.ts';
import { personCaller } from './identity/person.ts';
import type { Principal } from './identity/principal.ts';
import { reviewMetrics } from './identity/review-metrics.ts';
import { BodyBudget } from './limits/body-budget.ts';
import { CallerSlots } from './limits/caller-slots.ts';
import { ConcurrencyLimit } from './limits/concurrency-limit.ts';
import { limitMetrics } from './limits/limit-metrics.ts';
import { type LoadLimits, noLoadLimits } from './limits/load-limits.ts';
import type { RateLimits } from './limits/rate-limit.ts';
import { ReviewSlots } from './limits/review-slots.ts';
import { Turns } from './limits/turns.ts';
import { UnreadAnswers } from './limits/unread-answers.ts';
import { UnsentBudget } from './limits/unsent-budget.ts';
import { passMetrics } from './proxy/pass-metrics.ts';
import { type PassOptions, passThrough } from './proxy/pass-through.ts';
import { passUpgrade } from './proxy/pass-upgrade.ts';
import { wantedUpgrade } from './proxy/request-headers.ts';
import { gatewayMetrics } from './request-metrics.ts';
import { routeTable } from './route/match.ts';
import { allRoutes } from './routes.ts';
import { reportingFailures } from './upstream/failed-calls.ts';
import { parsingTurns } from './upstream/parsing-turns.ts';
import { maxRetryAfterMs, Upstream } from './upstream/upstream.ts';
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
  /** Proxies whose `X-Forwarded-For` names the client. By default the header is ignored. */
  trustedProxies?: IsTrusted;
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
  /** By default, requests are not logged. */
  accessLog?: Pick<AccessLogOptions, 'mode' | 'sample'>;
  /** Options of `…/current` and its watches. */
  current?: Pick<
    CurrentOptions,
    'namespaces' | 'perNamespace' | 'secrets' | 'maxStreamsPerPod' | 'maxBufferBytes'
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
  // The watches of all streams use it, and must follow again soon after an outage.
  const ofGateway = { access, log, userAgent: 'trimtab-gateway', maxRetryAfterMs, ...timed, ...measured };
  const own = httpClient(ofGateway);
  const current = currentOf(options, own);
  // Forged tokens must not delay what the gateway reads for pods, so reviews have connections of their own.
  const reviewing = httpClient(ofGateway);
  const reviewSlots = new ReviewSlots();
  const identifyPod = podIdentifier(reviewing, clock ?? systemClock, reviewSlots, reviewMetrics(registry));
  const addressOf = clientAddresses(options.trustedProxies ?? trustedProxies([]));
  const username = usernames(clock ?? systemClock);
  const inFlight = new ConcurrencyLimit('requests', load.maxRequestsInFlight);
  const streams = new ConcurrencyLimit('streams', load.maxStreams);
  const serving = {
    ...{ budget: new BodyBudget(), slots: new CallerSlots(), turns: new Turns() },
    clock: clock ?? systemClock,
  };
  const unsent = new UnsentBudget();
  const limited = limitMetrics(registry, { inFlight, streams, reviewSlots, unsent, ...serving });
  const unread = new UnreadAnswers(clock ?? systemClock, limited.answerCutOff);
  const requestIdOf = requestIds();
  const traceOf = (incoming: IncomingMessage) => ({
    address: addressOf(incoming),
    auditId: requestIdOf(incoming),
  });
  const metrics = gatewayMetrics(registry);
  const refusedLines = new RefusedLines(log, clock ?? systemClock);
  const logProtocolError = protocolErrorLog({ mode: options.accessLog?.mode ?? 'off', log, refusedLines });
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
    admit: admitRequest({ mode, limits, addressOf, ...timed }),
    identify: async ({ principal, address, credential }, { incoming, signal, unsent: account, failed }) => {
      if (principal.is === 'pod-token') return identifyPod(principal.token, address, signal);
      const userAgent = `trimtab-gateway for ${incoming.headers['user-agent'] ?? 'unknown'}`;
      const client = upstream.clientOf(principal, userAgent, traceOf(incoming), {
        beforeParsing: parsingTurns({
          turns: serving.turns,
          unsent: account,
          isRead: /^(GET|HEAD)$/.test(incoming.method ?? ''),
          identity: () => authenticate(principal, person, 'GET'),
          credential: credential ?? `address ${address}`,
        }),
      });
      const person = personCaller(reportingFailures(client, failed), (review) => username(principal, review));
      return person;
    },
    ...((options.accessLog?.mode ?? 'off') !== 'off' && {
      names: callerNames(username, (principal, incoming) =>
        readUsername(upstream.clientOf(principal, 'trimtab-gateway', traceOf(incoming))),
      ),
    }),
    ...{ inFlight, streams, unread, unsent, serving },
    pass: async (principal, incoming, response, body) =>
      passThrough(pass, await upstream.destinationOf(principal, traceOf(incoming)), incoming, response, body),
    stopping: stop.signal,
    metrics,
    accessLog: options.accessLog
      ? accessLog({
          ...options.accessLog,
          log,
          clock: clock ?? systemClock,
          addressOf,
          requestIdOf,
          refusedLines,
        })
      : noAccessLog,
    upstreamFailed: (route, code) => pass.metrics.failed(code, route),
    log,
  };
  const upgrading = {
    ...dispatching,
    passUpgrade: async (principal: Principal, ...[incoming, socket, head]: Parameters<Upgrade>) =>
      passUpgrade(
        pass,
        await upstream.destinationOf(principal, traceOf(incoming)),
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
    connectionLimits: { ...load, onRefused: limited.connectionRefused },
    ...(portFlag !== undefined && { portFlag }),
    ...(tls && { tls: { ...tls, clientCertificates: clientCertificates ? 'optional' : 'none' } }),
    describeError: protocolStatus,
    onProtocolError(error, socket) {
      metrics.answered('invalid', '', error.code, undefined);
      logProtocolError(error, socket);
    },
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
      reviewing.close();
    },
  };
}

type Upgrade = NonNullable<Parameters<typeof startHttpServer>[0]['upgrade']>['handler'];

/** Exec, attach and port-forward use GET and POST. Any other request is checked and served as one without the header. */
function protocolOf({ method, headers: { connection, upgrade } }: IncomingMessage): string | undefined {
  if (method !== 'GET' && method !== 'POST') return undefined;
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
