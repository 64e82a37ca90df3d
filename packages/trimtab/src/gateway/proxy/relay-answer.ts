import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import { endAfterBody } from '../answer/end-after-body.ts';
import { onClose } from '../answer/on-close.ts';
import { responseHeaders } from './response-headers.ts';

/**
 * Streams a response to the client, no faster than the client reads it. Resolves when the response is over: with false
 * when the API server broke it off. The client's connection is then broken as well, because a client must not take a
 * partial response for a complete one. When `stop` aborts, a stream ends as a watch does at its timeout, and its client
 * reconnects to another replica.
 */
export function relayAnswer(
  answer: IncomingMessage,
  incoming: IncomingMessage,
  response: ServerResponse,
  stop: AbortSignal | undefined,
  clock: Clock,
): Promise<boolean> {
  const headers = responseHeaders(answer.rawHeaders);
  // The rest of the request body would be parsed as the next request.
  if (!incoming.complete) headers.push('Connection', 'close');
  response.sendDate = false;
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', headers);
  let lastByte: number | undefined;
  let brokeOff = false;
  answer.on('data', (chunk: Buffer) => {
    lastByte = chunk.at(-1);
  });
  // A watch may send no event at first while its client waits for the head. Otherwise head and body go together.
  setImmediate(() => {
    if (lastByte === undefined && !response.writableEnded && !response.destroyed) response.flushHeaders();
  });
  const breakOff = () => {
    if (answer.complete || response.writableEnded) return;
    brokeOff = !response.destroyed;
    response.destroy();
  };
  answer.on('error', breakOff).once('close', breakOff);
  answer.pipe(response, { end: false });
  answer.once('end', () => {
    if (response.writableEnded) return;
    // A client that waits for the end of a chunked response gets it now. One with a length is complete already.
    if (incoming.complete || answer.headers['content-length'] === undefined) response.end();
    else endAfterBody(response, clock);
  });
  return new Promise((resolve) => {
    const onStop = () => endAfterLine(answer, response, lastByte);
    stop?.addEventListener('abort', onStop, { once: true });
    onClose(response, () => {
      stop?.removeEventListener('abort', onStop);
      resolve(!brokeOff);
    });
    if (stop?.aborted) onStop();
  });
}

/** A JSON watch has one event per line. Other streams have no known boundaries and end at once. */
function endAfterLine(answer: IncomingMessage, response: ServerResponse, lastByte: number | undefined): void {
  const newline = 10;
  const end = (rest?: Buffer) => {
    answer.removeAllListeners('data').pause();
    response.end(rest);
    answer.destroy();
  };
  answer.unpipe(response);
  const isJson = /^application\/json\b/.test(answer.headers['content-type'] ?? '');
  if (!isJson || lastByte === undefined || lastByte === newline) {
    end();
    return;
  }
  answer.on('data', (chunk: Buffer) => {
    const at = chunk.indexOf(newline);
    if (at < 0) response.write(chunk);
    else end(chunk.subarray(0, at + 1));
  });
  answer.once('end', () => response.end());
  answer.resume();
}
