import type { Clock } from '@trimtab/kube/clock.ts';
import type { Headers } from '../spdy/header-block.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';

/** The streams of one forwarded connection: bytes on `data`, and the reason of a failure on `error`. */
export interface StreamPair {
  port: number;
  data: SpdyStream;
  error: SpdyStream;
}

/** How long the first stream of a pair waits for the second. */
const patienceMs = 30_000;

/** The port in the headers of a stream; undefined when they are not those of a port-forward stream. */
export function portOf(headers: Headers): number | undefined {
  const { port = '', streamtype } = headers;
  if (streamtype !== 'data' && streamtype !== 'error') return undefined;
  if (!/^\d{1,5}$/.test(port)) return undefined;
  const number = Number(port);
  return number >= 1 && number <= 65_535 ? number : undefined;
}

/** Pairs the two streams of each connection. */
export class StreamPairs {
  readonly #clock: Clock;
  readonly #complete: (pair: StreamPair) => void;
  readonly #waiting = new Map<string, { stream: SpdyStream; forget: () => void }>();

  constructor(clock: Clock, complete: (pair: StreamPair) => void) {
    this.#clock = clock;
    this.#complete = complete;
  }

  /** The headers of the stream must have a port. */
  add(stream: SpdyStream): void {
    const request = requestOf(stream);
    const first = this.#waiting.get(request);
    if (first === undefined) return void this.#wait(request, stream);
    const isData = stream.headers['streamtype'] === 'data';
    if ((first.stream.headers['streamtype'] === 'data') === isData) {
      const error = isData ? undefined : first.stream;
      error?.end(`error processing stream for request ${request}: error stream already assigned`);
      return void stream.destroy();
    }
    first.forget();
    const [data, error] = isData ? [stream, first.stream] : [first.stream, stream];
    this.#complete({ port: portOf(data.headers) ?? 0, data, error });
  }

  #wait(request: string, stream: SpdyStream): void {
    const forget = () => {
      cancel();
      stream.off('close', forget);
      this.#waiting.delete(request);
    };
    const cancel = this.#clock.after(patienceMs, () => {
      forget();
      if (stream.headers['streamtype'] === 'error')
        stream.end(`request ${request} timed out waiting for streams`);
      else stream.destroy();
    });
    stream.once('close', forget);
    this.#waiting.set(request, { stream, forget });
  }
}

/** Clients that send no request ID open the error stream and the data stream of a connection consecutively. */
function requestOf({ id, headers }: SpdyStream): string {
  const { requestid = '', streamtype } = headers;
  if (requestid !== '') return requestid;
  return `stream ${streamtype === 'error' ? id : id - 2}`;
}
