import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { ClusterAccess, TlsSettings } from '../src/access.ts';

/** A server on a real socket of this machine, for what a test wants an API server to do and none would. */
export interface LocalServer {
  url: string;
  /** How many connections were ever opened, and how many are open now. */
  opened(): number;
  open(): number;
  close(): Promise<void>;
}

/** Speaks HTTP, or HTTPS when it is given a certificate. */
export function serveHttp(handler: http.RequestListener, tls?: https.ServerOptions): Promise<LocalServer> {
  return tls === undefined
    ? listen(http.createServer(handler), 'http', 'connection')
    : listen(https.createServer(tls, handler), 'https', 'secureConnection');
}

/** Gets each connection's first bytes and may answer whatever it likes, or nothing. */
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
