import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@trimtab/kube/clock.ts';
import { createWebSocketStream } from 'ws';
import { forwardSession } from '../port-forward/forward-session.ts';
import { agree } from './agree.ts';
import { attachSession } from './attach-session.ts';
import { type ContainerAccess, ContainerUnreachable } from './container-access.ts';
import { execSession } from './exec-session.ts';
import type { SessionStreams, WantedStreams } from './session-streams.ts';
import { spdyProtocols, spdyStreams } from './spdy-streams.ts';
import { channelProtocols, webSocketStreams } from './web-socket-streams.ts';

interface SessionServices {
  containers: ContainerAccess;
  clock: Clock;
}

/** An upgrade request: the HTTP request, its socket, and the bytes received after the headers. */
type Request = [incoming: IncomingMessage, socket: Socket, head: Buffer];

/** SPDY is tunnelled unchanged through a WebSocket, as kubectl does since 1.31. */
const forwardProtocols = { webSocket: ['SPDY/3.1+portforward.k8s.io'], spdy: ['portforward.k8s.io'] };
const streamProtocols = { webSocket: channelProtocols, spdy: spdyProtocols };

export function isSession({ url = '' }: IncomingMessage): boolean {
  return /^\/(exec|attach|portForward)\//.test(url);
}

/** Serves `exec`, `attach` and `port-forward`; resolves when the session has ended. */
export async function serveSession(services: SessionServices, ...request: Request): Promise<void> {
  const { containers } = services;
  const { path, query } = partsOf(request[0]);
  const [root, namespace = '', pod = '', container = ''] = path;
  try {
    if (root === 'portForward') return await forward(services, containers.ports(namespace, pod), request);
    const running = containers.running(namespace, pod, container);
    const wanted = wantedStreams(query);
    if (root === 'attach') {
      const streams = await open(services, { ...wanted, tty: running.container.tty === true }, request);
      if (streams !== undefined) await attachSession(streams, running);
      return;
    }
    const streams = await open(services, wanted, request);
    if (streams !== undefined)
      await execSession(streams, running, { ...wanted, command: query.getAll('command') });
  } catch (error) {
    if (!(error instanceof ContainerUnreachable)) throw error;
    refuse(request[1], error);
  }
}

export function partsOf({ url = '/' }: IncomingMessage): { path: string[]; query: URLSearchParams } {
  const { pathname, searchParams } = new URL(url, 'https://kubelet');
  return { path: pathname.split('/').slice(1).map(decodeURIComponent), query: searchParams };
}

function wantedStreams(query: URLSearchParams): WantedStreams {
  const is = (name: string) => ['true', '1'].includes(query.get(name) ?? '');
  const wanted = { stdin: is('stdin'), stdout: is('stdout'), stderr: is('stderr'), tty: is('tty') };
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr)
    throw new ContainerUnreachable(400, 'you must specify at least 1 of stdin, stdout, stderr');
  return wanted;
}

async function open(
  { clock }: SessionServices,
  wanted: WantedStreams,
  request: Request,
): Promise<SessionStreams | undefined> {
  const agreed = await agree(...request, streamProtocols);
  return 'spdy' in agreed
    ? spdyStreams(agreed.spdy, wanted, clock)
    : webSocketStreams(agreed.webSocket, wanted);
}

async function forward(
  { clock }: SessionServices,
  target: Parameters<typeof forwardSession>[1],
  request: Request,
): Promise<void> {
  const agreed = await agree(...request, forwardProtocols);
  const transport = 'spdy' in agreed ? agreed.spdy : createWebSocketStream(agreed.webSocket);
  await forwardSession(transport, target, clock);
}

function refuse(socket: Socket, { code, message }: ContainerUnreachable): void {
  if (socket.destroyed) return;
  socket.end(
    `HTTP/1.1 ${code} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(message)}\r\nconnection: close\r\n\r\n${message}`,
  );
}
