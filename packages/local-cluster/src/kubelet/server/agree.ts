import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { ContainerUnreachable } from './container-access.ts';

/** In the order in which they are preferred. */
export interface Protocols {
  webSocket: readonly string[];
  spdy: readonly string[];
}

export type Agreement = { webSocket: WebSocket } | { spdy: Socket };

const versionHeader = 'x-stream-protocol-version';
/** A SPDY frame in a tunnel may be as long. */
const maxPayload = 17 * 1024 * 1024;

/** Agrees with a client on the protocol that follows. Throws a ContainerUnreachable before anything was said. */
export async function agree(
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
  { webSocket, spdy }: Protocols,
): Promise<Agreement> {
  const upgrade = incoming.headers.upgrade?.toLowerCase();
  if (upgrade === 'websocket') {
    const protocol = choose(incoming.headers['sec-websocket-protocol'], webSocket);
    const server = new WebSocketServer({ noServer: true, maxPayload });
    // Kubernetes' names have a slash in them, which the library refuses: it must not see them.
    delete incoming.headers['sec-websocket-protocol'];
    server.on('headers', (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
    return new Promise((resolve, reject) => {
      socket.once('close', () => reject(new ContainerUnreachable(400, 'the client has left')));
      server.handleUpgrade(incoming, socket, head, (opened) => {
        // Nobody listens yet; who does lets it go on.
        opened.pause();
        resolve({ webSocket: opened });
      });
    });
  }
  if (upgrade !== 'spdy/3.1')
    throw new ContainerUnreachable(400, 'unable to upgrade: neither WebSocket nor SPDY/3.1 is asked for');
  const protocol = choose(incoming.headers[versionHeader], spdy);
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${versionHeader}: ${protocol}\r\n\r\n`,
  );
  if (head.length > 0) socket.unshift(head);
  return { spdy: socket };
}

function choose(header: string | string[] | undefined, known: readonly string[]): string {
  const offered = [header ?? []].flat().flatMap((each) => each.split(',').map((name) => name.trim()));
  const found = known.find((each) => offered.includes(each));
  if (found !== undefined) return found;
  const asked = offered.length === 0 ? 'none' : offered.join(', ');
  throw new ContainerUnreachable(
    400,
    `unable to upgrade: the client offers the protocols ${asked}; here it is ${known.join(' or ')}`,
  );
}
