import type { IncomingMessage, ServerResponse } from 'node:http';
import { responseHeaders } from './response-headers.ts';

/**
 * Passes an answer on as it comes, no faster than the client takes it. Resolves when it is over: with false when the
 * API server broke off. The client's connection is then broken as well, so that nobody takes a part for the whole.
 * When `stop` aborts, a stream ends as one does whose time is up, and its client asks again, elsewhere.
 */
export function relayAnswer(
  answer: IncomingMessage,
  incoming: IncomingMessage,
  response: ServerResponse,
  stop: AbortSignal | undefined,
): Promise<boolean> {
  const headers = responseHeaders(answer.rawHeaders);
  // What is left of the body would be taken for the next request.
  if (!incoming.complete) headers.push('Connection', 'close');
  response.sendDate = false;
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', headers);
  let lastByte: number | undefined;
  let brokeOff = false;
  answer.on('data', (chunk: Buffer) => {
    lastByte = chunk.at(-1);
  });
  // A watch says nothing at first, and its client waits for the head; where there is a body, both go together.
  setImmediate(() => {
    if (lastByte === undefined && !response.writableEnded && !response.destroyed) response.flushHeaders();
  });
  const breakOff = () => {
    if (answer.complete || response.writableEnded) return;
    brokeOff = !response.destroyed;
    response.destroy();
  };
  answer.on('error', breakOff).once('close', breakOff);
  answer.pipe(response);
  return new Promise((resolve) => {
    const onStop = () => endAfterLine(answer, response, lastByte);
    response.once('close', () => {
      stop?.removeEventListener('abort', onStop);
      resolve(!brokeOff);
    });
    stop?.addEventListener('abort', onStop, { once: true });
    if (stop?.aborted) onStop();
  });
}

/** A watch in JSON has one event in each line. Of other streams nobody can say where a part of them ends. */
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
