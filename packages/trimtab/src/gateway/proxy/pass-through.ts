import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { onClose } from '../answer/on-close.ts';
import type { StatusError } from '../answer/status-error.ts';
import { BodyProgress } from '../request/body-progress.ts';
import type { Destination } from '../upstream/upstream.ts';
import { awaitAnswer } from './await-answer.ts';
import { isLongRunning } from './long-running.ts';
import { bodyShape, openRequest } from './open-request.ts';
import type { PassMetrics } from './pass-metrics.ts';
import { relayAnswer } from './relay-answer.ts';

export interface PassOptions {
  clock?: Clock;
  metrics: PassMetrics;
  /** Aborts when the gateway shuts down; streams then end. */
  stopping: AbortSignal;
  /** Time limit from the sent request to the head of its response. API servers give up after 60 s. */
  answerTimeoutMs: number;
}

/**
 * Proxies a request unchanged to the API server and streams the response back. Rejects with a NetworkError when there
 * is no response. No request is sent twice, except a read whose kept-alive connection the API server had just closed.
 */
export async function passThrough(
  options: PassOptions,
  destination: Destination,
  incoming: IncomingMessage,
  response: ServerResponse,
  body?: Buffer,
): Promise<void> {
  const { metrics, clock = systemClock } = options;
  // The client may have disconnected while the credentials were read.
  if (response.destroyed) return;
  const isStream = isLongRunning(incoming.method ?? '', incoming.url ?? '');
  let answer: IncomingMessage;
  try {
    answer = await ask(options, destination, incoming, response, isStream, body);
  } catch (error) {
    // The request was aborted because the client disconnected.
    if (response.destroyed) return;
    if (error instanceof NetworkError) metrics.failed(error.code);
    throw error;
  }
  if (answer.statusCode === 401) destination.refused();
  const closeStream = isStream ? metrics.streamOpened('response') : undefined;
  const stop = isStream ? options.stopping : undefined;
  const isWhole = await relayAnswer(answer, incoming, response, stop, clock);
  closeStream?.();
  if (!isWhole) metrics.failed('broken-off');
}

async function ask(
  { clock = systemClock, answerTimeoutMs }: PassOptions,
  destination: Destination,
  incoming: IncomingMessage,
  response: ServerResponse,
  isStream: boolean,
  body: Buffer | undefined,
): Promise<IncomingMessage> {
  const shape = body === undefined ? bodyShape(incoming) : { length: body.length };
  const isRead = shape === 'none' && /^(GET|HEAD)$/.test(incoming.method ?? '');
  for (let attempt = 1; ; attempt++) {
    const request = openRequest(destination, incoming, shape);
    // Has no effect after a complete response: its connection is back in the pool.
    onClose(response, () => request.destroy());
    const answer = awaitAnswer(request, clock, isStream ? undefined : answerTimeoutMs);
    if (body !== undefined) request.end(body);
    else if (shape === 'none') request.end();
    const tooSlow = Promise.withResolvers<never>();
    if (body === undefined && shape !== 'none') {
      incoming.pipe(request);
      if (!isStream) expectProgress(clock, incoming, request, response, tooSlow.reject);
    }
    try {
      return await Promise.race([answer, tooSlow.promise]);
    } catch (error) {
      if (!isRead || attempt > 1 || !endedWhileIdle(request, error)) throw error;
    }
  }
}

/** A body that stops or is too slow ends both requests: it would keep its place among the requests in progress. */
function expectProgress(
  clock: Clock,
  incoming: IncomingMessage,
  request: ClientRequest,
  response: ServerResponse,
  onTooSlow: (refusal: StatusError) => void,
): void {
  const progress = new BodyProgress({
    clock,
    isHeldUp: () => request.writableNeedDrain,
    onTooSlow(refusal) {
      stop();
      onTooSlow(refusal);
      // A response that has begun cannot be followed by a refusal.
      if (response.headersSent) response.destroy();
      incoming.unpipe(request);
      request.destroy();
    },
  });
  const onData = (chunk: Buffer) => progress.received(chunk.length);
  const stop = () => {
    progress.stop();
    incoming.off('data', onData).off('end', stop).off('close', stop);
  };
  incoming.on('data', onData).once('end', stop).once('close', stop);
  response.once('close', stop);
}

/** Whether the API server closed the kept-alive connection before it read the request. */
function endedWhileIdle(request: ClientRequest, error: unknown): boolean {
  return request.reusedSocket && error instanceof NetworkError && /^(ECONNRESET|EPIPE)$/.test(error.code);
}
