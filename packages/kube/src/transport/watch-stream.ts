import type { IncomingMessage } from 'node:http';
import type { Projection, WatchStream } from '../client.ts';
import type { Clock } from '../clock.ts';
import type { Exchange } from './exchange.ts';
import { LineSplitter } from './line-splitter.ts';
import { onlyMetadataOfEvent } from './metadata-projection.ts';

/** Ten times the maximum size of an object in etcd. */
const maxLineBytes = 16 * 1024 * 1024;

interface WatchSource {
  exchange: Exchange;
  response: IncomingMessage;
  clock: Clock;
  signal: AbortSignal;
  maxSilenceMs: number;
  projection: Projection | undefined;
}

/**
 * The events of an open watch. Only the bounded socket buffer is read ahead of the consumer, so a slow consumer
 * applies backpressure to the server and memory use stays constant.
 */
export function watchStream(source: WatchSource): WatchStream {
  const { exchange, signal } = source;
  let closed = false;
  const onAbort = () => exchange.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  source.response.once('close', () => signal.removeEventListener('abort', onAbort));
  if (signal.aborted) onAbort();

  async function* events(): AsyncGenerator<unknown> {
    const splitter = new LineSplitter(maxLineBytes);
    const chunks = source.response[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await heard(chunks.next(), source);
        if (next.done) break;
        for (const line of split(splitter, next.value, exchange)) {
          if (closed) return;
          const event = parse(line, exchange);
          yield source.projection === 'metadata' ? onlyMetadataOfEvent(event) : event;
        }
      }
      if (splitter.unfinished)
        throw exchange.failure('ECONNRESET', 'the watch stream ended in the middle of an event');
    } catch (error) {
      if (!closed) throw exchange.explain(error);
    } finally {
      exchange.drop();
    }
  }

  return {
    events: events(),
    close() {
      closed = true;
      exchange.drop();
    },
  };
}

/** The timeout runs only while the client waits for the server, not while the consumer is busy. */
async function heard<T>(next: Promise<T>, { exchange, clock, maxSilenceMs }: WatchSource): Promise<T> {
  const cancel = clock.after(maxSilenceMs, () =>
    exchange.abort(exchange.failure('ETIMEDOUT', `no event or bookmark for ${maxSilenceMs} ms`)),
  );
  try {
    return await next;
  } finally {
    cancel();
  }
}

function split(splitter: LineSplitter, chunk: Buffer, exchange: Exchange): string[] {
  try {
    return splitter.push(chunk);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw exchange.failure('ERR_BODY_TOO_LARGE', error.message);
  }
}

function parse(line: string, exchange: Exchange): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw exchange.failure('ERR_BODY_NOT_JSON', 'the watch stream contains a line that is not JSON');
  }
}
