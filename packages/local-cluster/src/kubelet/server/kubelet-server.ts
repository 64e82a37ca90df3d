import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { startHttpServer } from '@trimtab/kube/http/http-server.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { MaterialSource } from '@trimtab/kube/tls/material.ts';
import { type ContainerAccess, ContainerUnreachable, type LogOptions } from './container-access.ts';
import { isSession, partsOf, serveSession } from './serve-session.ts';

export interface KubeletServerOptions {
  host: string;
  port: number;
  /** Its `clientAuthority` verifies client certificates; only the API server has one. */
  material: MaterialSource;
  containers: ContainerAccess;
  log: Logger;
  clock?: Clock;
}

/** Serves the API server's requests to a node, at the same paths as the real kubelet. */
export async function startKubeletServer(options: KubeletServerOptions) {
  const { host, port, material, log, clock = systemClock } = options;
  const sessions = { containers: options.containers, clock };
  return startHttpServer({
    name: 'kubelet',
    host,
    port,
    tls: { material, clientCertificates: 'required' },
    handler: (incoming, response) => answer(options, incoming, response, clock),
    upgrade: { wanted: isSession, handler: (...request) => serveSession(sessions, ...request) },
    log,
    clock,
  });
}

async function answer(
  { containers }: KubeletServerOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
): Promise<void> {
  const { path, query } = partsOf(incoming);
  const [root, namespace = '', pod = '', container = ''] = path;
  if (root !== 'containerLogs' || incoming.method !== 'GET') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    return;
  }
  const stop = new AbortController();
  response.once('close', () => stop.abort());
  const where = { namespace, pod, container };
  try {
    const parts = containers.logs(where, logOptions(query, clock.now()), stop.signal);
    for await (const part of parts) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/plain' });
      if (!response.write(part)) await drained(response);
    }
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/plain' });
    response.end();
  } catch (error) {
    if (stop.signal.aborted) return;
    if (!(error instanceof ContainerUnreachable) || response.headersSent) throw error;
    response.writeHead(error.code, { 'content-type': 'text/plain' }).end(error.message);
  }
}

/** Parses the options of a log request. The API server has already validated them. */
function logOptions(query: URLSearchParams, now: number): LogOptions {
  const number = (name: string) => {
    const text = query.get(name);
    return text === null || text === '' ? undefined : Number(text);
  };
  const is = (name: string) => query.has(name) && !['false', '0'].includes(query.get(name) ?? '');
  const sinceSeconds = number('sinceSeconds');
  const sinceTime = query.get('sinceTime');
  const since = sinceSeconds !== undefined ? now - sinceSeconds * 1000 : Date.parse(sinceTime ?? '');
  const [tailLines, limitBytes] = [number('tailLines'), number('limitBytes')];
  return {
    follow: is('follow'),
    previous: is('previous'),
    timestamps: is('timestamps'),
    ...(tailLines !== undefined && { tailLines }),
    ...(!Number.isNaN(since) && { since }),
    ...(limitBytes !== undefined && { limitBytes }),
  };
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
