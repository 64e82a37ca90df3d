import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { badRequest } from '../answer/status-error.ts';
import type { Destination } from '../upstream/upstream.ts';
import { endGently } from './end-gently.ts';
import { bodyShape, networkError, openRequest } from './open-request.ts';
import type { PassOptions } from './pass-through.ts';
import { headText, responseHeaders } from './response-headers.ts';

/**
 * exec, attach and port-forward: when both sides have agreed on another protocol, bytes go through as they are, in
 * both directions. Resolves with the code of the answer when the connection is over; rejects when there was none.
 */
export async function passUpgrade(
  { metrics, clock = systemClock, answerTimeoutMs }: Omit<PassOptions, 'stopping'>,
  destination: Destination,
  incoming: IncomingMessage,
  client: Socket,
  head: Buffer,
  protocol: string,
): Promise<number> {
  const shape = bodyShape(incoming);
  if (shape === 'chunked' || (shape !== 'none' && shape.length > 0))
    throw badRequest('a request that asks for another protocol can have no body');
  if (client.destroyed) return clientLeft;
  const request = openRequest(destination, incoming, shape, protocol);
  const whenClientGone = () => request.destroy();
  client.once('close', whenClientGone);
  const answered = await agreement(request, clock, answerTimeoutMs).catch((error: NetworkError) => {
    if (client.destroyed) return undefined;
    metrics.failed(error.code);
    throw error;
  });
  client.off('close', whenClientGone);
  if (answered === undefined) return clientLeft;
  const { answer, server, rest } = answered;
  const code = answer.statusCode ?? 502;
  const headers = responseHeaders(answer.rawHeaders);
  if (server === undefined) {
    if (code === 401) destination.refused();
    // The body goes without its chunks, and ends with the connection.
    client.write(headText(code, answer.statusMessage ?? '', [...headers, 'Connection', 'close']));
    answer.pipe(client, { end: false });
    answer.once('end', () => endGently(client, clock)).on('error', () => client.destroy());
    client.once('close', () => answer.destroy());
    await closed(client);
    return code;
  }
  const close = metrics.streamOpened('upgrade');
  const agreed = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? protocol];
  client.write(headText(101, answer.statusMessage ?? 'Switching Protocols', [...headers, ...agreed]));
  client.write(rest);
  server.write(head);
  await tunnel(client, server, clock);
  close();
  return code;
}

/** As nginx calls it; nobody sees it but the metrics. */
const clientLeft = 499;

type Answered =
  | { answer: IncomingMessage; server: Socket; rest: Buffer }
  | { answer: IncomingMessage; server?: undefined; rest?: undefined };

function agreement(request: ClientRequest, clock: Clock, timeoutMs: number): Promise<Answered> {
  const cancel = clock.after(timeoutMs, () =>
    request.destroy(new NetworkError('ETIMEDOUT', 'maybe', `no answer within ${timeoutMs} ms`)),
  );
  return new Promise<Answered>((resolve, reject) => {
    request.once('upgrade', (answer, server, rest) => resolve({ answer, server, rest }));
    request.once('response', (answer) => resolve({ answer }));
    request.on('error', (error) => reject(networkError(request, error)));
    request.end();
  }).finally(cancel);
}

async function tunnel(client: Socket, server: Socket, clock: Clock): Promise<void> {
  // The pool's limit for idle connections is not for this one.
  server.setTimeout(0);
  server.on('error', () => client.destroy());
  client.on('error', () => server.destroy());
  client.once('close', () => server.destroy());
  server.once('close', () => endGently(client.unpipe(server), clock));
  server.pipe(client);
  client.pipe(server);
  await closed(client);
}

function closed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
