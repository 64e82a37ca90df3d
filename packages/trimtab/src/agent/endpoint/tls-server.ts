import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Clock } from '@trimtab/kube/clock.ts';
import { boundBuffer } from '@trimtab/kube/http/bound-buffer.ts';
import { Connections } from '@trimtab/kube/http/connections.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { CertificateAndKey } from '@trimtab/kube/tls/authority.ts';
import { listenOnPort } from './listen-on-port.ts';

export interface TlsServerOptions {
  /** Defaults to all addresses of the pod. */
  host?: string;
  port: number;
  material: CertificateAndKey;
  handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Other pods share few connections, so that they cannot use up those of this pod. */
  isFromPod: (address: string) => boolean;
  log: Logger;
  clock: Clock;
  /** Defaults to 5 s. */
  handshakeTimeoutMs?: number;
}

export interface TlsServer {
  port: number;
  /** Number of open connections. */
  connections(): number;
  close(graceMs: number): Promise<void>;
}

const maxConnections = { pod: 128, others: 8 };
/** Time for the headers of a request, and between requests. Longer than clients keep an idle connection. */
const idleTimeoutMs = 120_000;
const bodyTimeoutMs = 10_000;
const keepAlive = { keepAlive: true, keepAliveInitialDelay: 30_000 };

/** An HTTPS server for TLS 1.3 with a limited number of connections, under Node.js and Bun. */
export async function startTlsServer(options: TlsServerOptions): Promise<TlsServer> {
  const { log, clock, material, isFromPod, handler } = options;
  const timeouts = new Connections(clock, { idleTimeoutMs, requestTimeoutMs: bodyTimeoutMs });
  const http = createHttpServer({ maxHeaderSize: 16_384 }, (request, response) => {
    // Without listeners, a connection that breaks off in a response would end the process.
    request.on('error', () => {});
    response.on('error', () => {});
    timeouts.requested(request, response);
    boundBuffer(request, response);
    handler(request, response).catch((err: unknown) => {
      log.error({ err }, 'endpoint request failed');
      request.socket.destroy();
    });
  });
  http.keepAliveTimeout = 0;
  const tls = createTlsServer(
    {
      ...{ cert: material.certificate, key: material.key, minVersion: 'TLSv1.3' },
      ...{ handshakeTimeout: options.handshakeTimeoutMs ?? 5_000, ALPNProtocols: ['http/1.1'] },
    },
    (socket) => {
      timeouts.opened(socket);
      http.emit('connection', socket);
    },
  );
  tls.on('tlsClientError', (err, socket) => {
    log.debug({ err }, 'TLS handshake with the endpoint failed');
    // A handshake that takes too long is reported, but its connection stays open.
    socket.destroy();
  });
  const open = { pod: new Set<Socket>(), others: new Set<Socket>() };
  // TCP connections are counted before the handshake, which is the most expensive part of a short request.
  const tcp = createServer({ noDelay: true, ...keepAlive }, (socket) => {
    const from = isFromPod(socket.remoteAddress ?? '') ? 'pod' : 'others';
    socket.on('error', () => {});
    if (open[from].size >= maxConnections[from]) return void socket.destroy();
    open[from].add(socket);
    socket.once('close', () => open[from].delete(socket));
    tls.emit('connection', socket);
  });
  const port = await listenOnPort(tcp, options.port, options.host);
  tcp.on('error', (err) => log.error({ err }, 'endpoint failed'));
  const all = () => [...open.pod, ...open.others];
  return {
    port,
    connections: () => open.pod.size + open.others.size,
    close: (graceMs) => close(tcp, timeouts, all, graceMs, clock),
  };
}

/** Waits up to `graceMs` for the requests in progress. */
async function close(
  tcp: Server,
  timeouts: Connections,
  open: () => Socket[],
  graceMs: number,
  clock: Clock,
): Promise<void> {
  const closed = new Promise<void>((resolve) => tcp.close(() => resolve()));
  const drained = Promise.withResolvers<void>();
  const cancel = clock.after(graceMs, drained.resolve);
  await Promise.race([timeouts.drain(), drained.promise]);
  cancel();
  // Also those that are still in their handshake.
  for (const socket of open()) socket.destroy();
  await closed;
}
