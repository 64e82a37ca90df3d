import type { Clock } from '@trimtab/kube/clock.ts';
import type { Headers } from '../spdy/header-block.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';

/** One connection of kubectl's: bytes on `data`, and on `error` why there are none. */
export interface StreamPair {
  port: number;
  data: SpdyStream;
  error: SpdyStream;
}

/** How long the first one of a pair waits for the other. */
const patienceMs = 30_000;

/** The port that the headers of a stream name; undefined when they are not what port-forward sends. */
export function portOf(headers: Headers): number | undefined {
  const { port = '', streamtype } = headers;
  if (streamtype !== 'data' && streamtype !== 'error') return undefined;
  if (!/^\d{1,5}$/.test(port)) return undefined;
  const number = Number(port);
  return number >= 1 && number <= 65_535 ? number : undefined;
}

/** Finds the two streams of each connection. */
export class StreamPairs {
  readonly #clock: Clock;
  readonly #complete: (pair: StreamPair) => void;
  readonly #waiting = new Map<string, { stream: SpdyStream; forget: () => void }>();

  constructor(clock: Clock, complete: (pair: StreamPair) => void) {
    this.#clock = clock;
    this.#complete = complete;
  }

  /** A stream whose headers have a port. */
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

/** Clients that do not number their connections open the streams of one right after each other, the error first. */
function requestOf({ id, headers }: SpdyStream): string {
  const { requestid = '', streamtype } = headers;
  if (requestid !== '') return requestid;
  return `stream ${streamtype === 'error' ? id : id - 2}`;
}
