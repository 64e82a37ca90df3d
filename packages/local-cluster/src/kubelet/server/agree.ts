import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { ContainerUnreachable } from './container-access.ts';

/** Supported subprotocols, in order of preference. */
export interface Protocols {
  webSocket: readonly string[];
  spdy: readonly string[];
}

export type Agreement = { webSocket: WebSocket } | { spdy: Socket };

const versionHeader = 'x-stream-protocol-version';
/** Must hold the longest SPDY frame (16 MB) that a client tunnels through a WebSocket message. */
const maxPayload = 17 * 1024 * 1024;

/** Negotiates the protocol with a client. Throws a ContainerUnreachable before any response has been written. */
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
    // The library rejects protocol names with a slash, which Kubernetes uses, so the header is hidden from it.
    delete incoming.headers['sec-websocket-protocol'];
    server.on('headers', (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
    return new Promise((resolve, reject) => {
      socket.once('close', () => reject(new ContainerUnreachable(400, 'client disconnected')));
      server.handleUpgrade(incoming, socket, head, (opened) => {
        // No message listener is attached yet. The consumer resumes the socket.
        opened.pause();
        resolve({ webSocket: opened });
      });
    });
  }
  if (upgrade !== 'spdy/3.1')
    throw new ContainerUnreachable(
      400,
      'unable to upgrade: the Upgrade header must be websocket or SPDY/3.1',
    );
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
    `unable to upgrade: unable to negotiate protocol: client supports ${asked}, server accepts ${known.join(', ')}`,
  );
}
