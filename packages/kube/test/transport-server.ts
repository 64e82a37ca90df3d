import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { ClusterAccess, TlsSettings } from '../src/access.ts';

/** A server on a local socket, for behaviour that a real API server does not show. */
export interface LocalServer {
  url: string;
  /** Number of connections since the start. */
  opened(): number;
  /** Number of connections that are open now. */
  open(): number;
  close(): Promise<void>;
}

/** Serves HTTP, or HTTPS when `tls` is set. */
export function serveHttp(handler: http.RequestListener, tls?: https.ServerOptions): Promise<LocalServer> {
  return tls === undefined
    ? listen(http.createServer(handler), 'http', 'connection')
    : listen(https.createServer(tls, handler), 'https', 'secureConnection');
}

/** Calls `onRequest` for each received chunk; it may write any bytes to the socket, or none. */
export function serveSocket(onRequest: (socket: Socket, count: number) => void): Promise<LocalServer> {
  let count = 0;
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => onRequest(socket, ++count));
  });
  return listen(server, 'http', 'connection');
}

async function listen(
  server: net.Server,
  scheme: string,
  event: 'connection' | 'secureConnection',
): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  let opened = 0;
  server.on(event, (socket: Socket) => {
    opened++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    opened: () => opened,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface HandMadeAccess {
  tls?: () => TlsSettings | Promise<TlsSettings>;
  headers?: () => Record<string, string> | Promise<Record<string, string>>;
  invalidate?: () => void;
}

export function accessTo(server: string, made: HandMadeAccess = {}): ClusterAccess {
  return {
    server,
    namespace: 'default',
    tls: async () => made.tls?.() ?? {},
    headers: async () => made.headers?.() ?? {},
    invalidate: () => made.invalidate?.(),
  };
}

export function answerJson(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function status(code: number, reason: string, message = reason) {
  return { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message };
}
