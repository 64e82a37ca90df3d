import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { badRequest } from '../../versions/refusal.ts';
import type { Destination } from '../upstream/upstream.ts';
import { closeGracefully } from './close-gracefully.ts';
import { bodyShape, networkError, openRequest } from './open-request.ts';
import type { PassOptions } from './pass-through.ts';
import { headText, responseHeaders } from './response-headers.ts';

/**
 * Proxies exec, attach and port-forward: after both sides agree on another protocol, bytes pass unchanged in both
 * directions. Resolves with the status code when the connection is closed; rejects when there is no response.
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
    throw badRequest('an upgrade request must not have a body');
  if (client.destroyed) return clientLeft;
  const request = openRequest(destination, incoming, shape, protocol);
  const whenClientGone = () => request.destroy();
  client.once('close', whenClientGone);
  const answered = await agreement(request, clock, answerTimeoutMs).catch((error: NetworkError) => {
    if (client.destroyed) return undefined;
    metrics.failed(error.code, 'upgrade');
    throw error;
  });
  client.off('close', whenClientGone);
  if (answered === undefined) return clientLeft;
  const { answer, server, rest } = answered;
  const code = answer.statusCode ?? 502;
  const headers = responseHeaders(answer.rawHeaders);
  if (server === undefined) {
    if (code === 401) destination.refused();
    // The body is sent without chunked encoding and ends with the connection.
    client.write(headText(code, answer.statusMessage ?? '', [...headers, 'Connection', 'close']));
    answer.pipe(client, { end: false });
    answer.once('end', () => closeGracefully(client, clock)).on('error', () => client.destroy());
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

/** The code that nginx uses for a disconnected client; it appears in metrics only. */
const clientLeft = 499;

type Answered =
  | { answer: IncomingMessage; server: Socket; rest: Buffer }
  | { answer: IncomingMessage; server?: undefined; rest?: undefined };

function agreement(request: ClientRequest, clock: Clock, timeoutMs: number): Promise<Answered> {
  const cancel = clock.after(timeoutMs, () =>
    request.destroy(new NetworkError('ETIMEDOUT', 'maybe', `no response within ${timeoutMs} ms`)),
  );
  return new Promise<Answered>((resolve, reject) => {
    request.once('upgrade', (answer, server, rest) => resolve({ answer, server, rest }));
    request.once('response', (answer) => resolve({ answer }));
    request.on('error', (error) => reject(networkError(request, error)));
    request.end();
  }).finally(cancel);
}

async function tunnel(client: Socket, server: Socket, clock: Clock): Promise<void> {
  // The pool's idle timeout does not apply to upgraded connections.
  server.setTimeout(0);
  server.on('error', () => client.destroy());
  client.on('error', () => server.destroy());
  client.once('close', () => server.destroy());
  server.once('close', () => closeGracefully(client.unpipe(server), clock));
  server.pipe(client);
  client.pipe(server);
  await closed(client);
}

function closed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
