import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { startHttpServer } from '../../../platform/http-server.ts';
import type { Logger } from '../../../platform/log.ts';
import type { MaterialSource } from '../../../platform/tls/material.ts';
import { type ContainerAccess, ContainerUnreachable } from './container-access.ts';
import { execSession } from './exec-session.ts';
import { logOptions } from './log-options.ts';

export interface KubeletServerOptions {
  host: string;
  port: number;
  /** Its `clientAuthority` says whose certificate is asked for: the API server's. */
  material: MaterialSource;
  containers: ContainerAccess;
  log: Logger;
  clock?: Clock;
}

/** kubectl has spoken the fifth since 1.30; older ones know the fourth. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** What the API server asks of a node: logs of containers, and commands in them. Paths are the kubelet's own. */
export async function startKubeletServer(options: KubeletServerOptions) {
  const { host, port, material, log, clock = systemClock } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => protocols.find((each) => offered.has(each)) ?? false,
  });
  return startHttpServer({
    name: 'kubelet',
    host,
    port,
    tls: { material, clientCertificates: 'required' },
    handler: (incoming, response) => answer(options, incoming, response, clock),
    upgrade: {
      wanted: ({ url = '' }) => url.startsWith('/exec/'),
      handler: (incoming, socket, head) => exec(options, sockets, incoming, socket, head),
    },
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
  const { path, query } = parse(incoming);
  const [root, namespace = '', pod = '', container = ''] = path;
  if (root === 'exec') return refuseExec(containers, { namespace, pod, container }, response);
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

/** Somebody who does not speak WebSocket: it could not be run anyway, or this is why. */
function refuseExec(
  containers: ContainerAccess,
  { namespace, pod, container }: { namespace: string; pod: string; container: string },
  response: ServerResponse,
): void {
  let why = 'commands are run over WebSocket only: use kubectl 1.31 or later';
  try {
    containers.running(namespace, pod, container);
  } catch (error) {
    if (!(error instanceof ContainerUnreachable)) throw error;
    why = error.message;
  }
  response.writeHead(400, { 'content-type': 'text/plain' }).end(why);
}

async function exec(
  { containers }: KubeletServerOptions,
  sockets: WebSocketServer,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const { path, query } = parse(incoming);
  const [, namespace = '', pod = '', container = ''] = path;
  const is = (name: string) => ['true', '1'].includes(query.get(name) ?? '');
  const request = {
    command: query.getAll('command'),
    ...{ stdin: is('stdin'), stdout: is('stdout'), stderr: is('stderr'), tty: is('tty') },
  };
  try {
    const running = containers.running(namespace, pod, container);
    await new Promise<void>((resolve) => {
      sockets.handleUpgrade(incoming, socket, head, (opened) => {
        void execSession(opened, running, request).then(resolve);
      });
      socket.once('close', () => resolve());
    });
  } catch (error) {
    if (!(error instanceof ContainerUnreachable)) throw error;
    const text = `HTTP/1.1 ${error.code} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(error.message)}\r\nconnection: close\r\n\r\n${error.message}`;
    socket.end(text);
  }
}

function parse({ url = '/' }: IncomingMessage): { path: string[]; query: URLSearchParams } {
  const { pathname, searchParams } = new URL(url, 'https://kubelet');
  return { path: pathname.split('/').slice(1).map(decodeURIComponent), query: searchParams };
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
