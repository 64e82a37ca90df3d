import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { badRequest } from '../answer/status-error.ts';
import type { Destination } from '../upstream/upstream.ts';
import { bodyShape, networkError, openRequest } from './open-request.ts';
import type { PassOptions } from './pass-through.ts';
import { headText, responseHeaders } from './response-headers.ts';

/** How long a client may take to end its side, too. */
const lingerMs = 5_000;

/**
 * exec, attach and port-forward: when both sides have agreed on another protocol, bytes go through as they are, in
 * both directions. Resolves when the connection is over; rejects when nothing has been answered yet.
 */
export async function passUpgrade(
  { metrics, clock = systemClock }: Pick<PassOptions, 'metrics' | 'clock'>,
  destination: Destination,
  incoming: IncomingMessage,
  client: Socket,
  head: Buffer,
  protocol: string,
): Promise<void> {
  if (client.destroyed) return;
  const shape = bodyShape(incoming);
  if (shape === 'chunked' || (shape !== 'none' && shape.length > 0))
    throw badRequest('a request that asks for another protocol can have no body');
  const request = openRequest(destination, incoming, shape, protocol);
  const whenClientGone = () => request.destroy();
  client.once('close', whenClientGone);
  const answered = await new Promise<Answered>((resolve, reject) => {
    request.once('upgrade', (answer, server, rest) => resolve({ answer, server, rest }));
    request.once('response', (answer) => resolve({ answer }));
    request.on('error', (error) => {
      const failure = networkError(request, error);
      metrics.failed(failure.code);
      reject(failure);
    });
    request.end();
  });
  client.off('close', whenClientGone);
  const { answer, server, rest } = answered;
  const headers = responseHeaders(answer.rawHeaders);
  if (server === undefined) {
    if (answer.statusCode === 401) destination.refused();
    // The body goes without its chunks, and ends with the connection.
    client.write(
      headText(answer.statusCode ?? 502, answer.statusMessage ?? '', [...headers, 'Connection', 'close']),
    );
    answer.pipe(client);
    return ended(client, answer);
  }
  const close = metrics.streamOpened('upgrade');
  const agreed = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? protocol];
  client.write(headText(101, answer.statusMessage ?? 'Switching Protocols', [...headers, ...agreed]));
  await tunnel(clock, client, head, server, rest);
  close();
}

type Answered =
  | { answer: IncomingMessage; server: Socket; rest: Buffer }
  | { answer: IncomingMessage; server?: undefined; rest?: undefined };

async function tunnel(
  clock: Clock,
  client: Socket,
  head: Buffer,
  server: Socket,
  rest: Buffer,
): Promise<void> {
  // The pool's limit for idle connections is not for this one.
  server.setTimeout(0);
  server.on('error', () => client.destroy());
  client.on('error', () => server.destroy());
  client.write(rest);
  server.write(head);
  server.pipe(client);
  client.pipe(server);
  client.once('close', () => server.destroy());
  let cancel = () => {};
  server.once('close', () => {
    // What it has sent still goes out, and what the client says meanwhile is heard by nobody: to reset the connection
    // instead would end a `kubectl port-forward` in between with all that it carries.
    client.unpipe(server).resume().end();
    cancel = clock.after(lingerMs, () => client.destroy());
  });
  await closed(client);
  cancel();
}

async function ended(client: Socket, answer: IncomingMessage): Promise<void> {
  answer.on('error', () => client.destroy());
  client.once('close', () => answer.destroy());
  await closed(client);
}

function closed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
