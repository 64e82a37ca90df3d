import type { IncomingMessage } from 'node:http';
import type { ClusterAccess } from '../kube/access.ts';
import { httpClient } from '../kube/transport/http-client.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type HttpServer, startHttpServer } from '../platform/http-server.ts';
import type { Logger } from '../platform/log.ts';
import type { Registry } from '../platform/metrics.ts';
import type { MaterialSource } from '../platform/tls/material.ts';
import { StatusError } from './answer/status-error.ts';
import { type CurrentOptions, startCurrent } from './current/start-current.ts';
import { dispatch } from './dispatch.ts';
import type { Caller } from './request/gateway-request.ts';
import { routeTable } from './route/match.ts';
import { allRoutes } from './routes.ts';
import { Upstream } from './upstream/upstream.ts';
import { person } from './who/person.ts';
import { podIdentifier } from './who/pod.ts';
import { isPodToken } from './who/pod-token.ts';

export interface GatewayOptions {
  /** Where the API server is, and who the gateway itself is. */
  access: ClusterAccess;
  host: string;
  port: number;
  /** Plain HTTP without it, which is for loopback only. */
  tls?: { material: MaterialSource };
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  /** Of `…/current` and its streams. */
  current?: Pick<
    CurrentOptions,
    'namespace' | 'perNamespace' | 'secrets' | 'maxStreamsPerPod' | 'maxBufferBytes'
  >;
}

export interface Gateway {
  url: string;
  close(graceMs: number): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { access, log, metrics, clock } = options;
  const upstream = new Upstream({ access, log, ...(metrics && { metrics }), ...(clock && { clock }) });
  const own = httpClient({
    access,
    log,
    userAgent: 'trimtab-gateway',
    ...(metrics && { metrics }),
    ...(clock && { clock }),
  });
  const current = startCurrent({
    ...options.current,
    client: own,
    clock: clock ?? systemClock,
    log,
    ...(metrics && { metrics }),
  });
  const identifyPod = podIdentifier(own, clock ?? systemClock);
  const routes = routeTable(allRoutes(current));
  const server: HttpServer = await startHttpServer({
    name: 'gateway',
    ...options,
    handler: (incoming, response) =>
      dispatch(
        {
          routes,
          identify: (from, signal) => identify(upstream, identifyPod, from, signal),
          pass: async () => {
            throw new StatusError(501, 'NotImplemented', 'pass-through comes with src/gateway/proxy');
          },
          log,
        },
        incoming,
        response,
      ),
  });
  return {
    url: server.url,
    async close(graceMs) {
      await current.close();
      await server.close(graceMs);
      upstream.close();
      own.close();
    },
  };
}

async function identify(
  upstream: Upstream,
  identifyPod: (token: string, signal: AbortSignal) => Promise<Caller>,
  { headers }: IncomingMessage,
  signal: AbortSignal,
): Promise<Caller> {
  const { authorization, 'user-agent': userAgent = 'unknown' } = headers;
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token !== undefined && isPodToken(token)) return identifyPod(token, signal);
  const own: Record<string, string> = authorization === undefined ? {} : { authorization };
  return person(upstream.clientWith(own, `trimtab-gateway for ${userAgent}`));
}
