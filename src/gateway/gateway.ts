import type { IncomingMessage } from 'node:http';
import type { ClusterAccess } from '../kube/access.ts';
import type { Clock } from '../platform/clock.ts';
import { type HttpServer, startHttpServer } from '../platform/http-server.ts';
import type { Logger } from '../platform/log.ts';
import type { Registry } from '../platform/metrics.ts';
import type { MaterialSource } from '../platform/tls/material.ts';
import { StatusError } from './answer/status-error.ts';
import { dispatch } from './dispatch.ts';
import type { Caller } from './request/gateway-request.ts';
import { routeTable } from './route/match.ts';
import { allRoutes } from './routes.ts';
import { Upstream } from './upstream/upstream.ts';
import { person } from './who/person.ts';

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
}

export interface Gateway {
  url: string;
  close(graceMs: number): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { access, log, metrics, clock } = options;
  const upstream = new Upstream({ access, log, ...(metrics && { metrics }), ...(clock && { clock }) });
  const routes = routeTable(allRoutes());
  const server: HttpServer = await startHttpServer({
    name: 'gateway',
    ...options,
    handler: (incoming, response) =>
      dispatch(
        {
          routes,
          identify: async (from) => identify(upstream, from),
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
      await server.close(graceMs);
      upstream.close();
    },
  };
}

function identify(upstream: Upstream, { headers }: IncomingMessage): Caller {
  const { authorization, 'user-agent': userAgent = 'unknown' } = headers;
  const own: Record<string, string> = authorization === undefined ? {} : { authorization };
  return person(upstream.clientWith(own, `trimtab-gateway for ${userAgent}`));
}
