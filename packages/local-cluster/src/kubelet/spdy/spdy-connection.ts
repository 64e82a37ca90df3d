import type { Duplex } from 'node:stream';
import type { Clock } from '@trimtab/kube/clock.ts';
import { encodeFrame, type Frame, resetStatus } from './frame.ts';
import { FrameReader } from './frame-reader.ts';
import { decodeHeaderBlock, encodeHeaderBlock, type Headers } from './header-block.ts';
import { HeaderInflater, HeaderPacker } from './header-compression.ts';
import { SpdyStream } from './spdy-stream.ts';

export interface SpdyOptions {
  clock: Clock;
  /** Whether a stream with these headers is acceptable. */
  accepts(headers: Headers): boolean;
  opened(stream: SpdyStream): void;
  /** Limit of concurrent streams; further streams are refused. */
  maxStreams: number;
  /** A connection without traffic for this long is closed. */
  idleMs: number;
}

const goodbyeMs = 1_000;

/** The server side of SPDY/3.1 as kubectl uses it: the client opens streams, and either side sends and ends them. */
export class SpdyConnection {
  readonly #transport: Duplex;
  readonly #options: SpdyOptions;
  readonly #reader = new FrameReader();
  readonly #inflater = new HeaderInflater();
  readonly #packer = new HeaderPacker();
  readonly #streams = new Map<number, SpdyStream>();
  #lastStream = 0;
  #lastMove: number;
  #cancelIdle: () => void = () => {};

  constructor(transport: Duplex, options: SpdyOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#lastMove = options.clock.monotonic();
    transport.on('error', () => {});
  }

  /** Resolves when the connection and its streams have ended, for any reason. */
  async run(): Promise<void> {
    const transport = this.#transport;
    const over = new Promise<void>((resolve) => transport.once('close', resolve));
    // This also releases the read loop when it waits for space in the buffer of a stream.
    const cutOff = () => {
      for (const stream of [...this.#streams.values()]) stream.cutOff();
    };
    transport.once('close', cutOff);
    this.#watchIdle(this.#options.idleMs);
    try {
      for await (const chunk of transport) {
        this.#moved();
        for (const frame of this.#reader.read(chunk)) {
          await this.#take(frame);
          if (frame.type === 'go-away') return;
        }
      }
    } catch {
      // The connection broke or the bytes were not SPDY; neither allows a response.
    } finally {
      this.#cancelIdle();
      this.#inflater.close();
      cutOff();
      transport.destroy();
      await over;
    }
  }

  /** Sends a go-away frame and closes the connection, without waiting for a client that does not read. */
  close(): void {
    const transport = this.#transport;
    if (!transport.writable) return void transport.destroy();
    const cancel = this.#options.clock.after(goodbyeMs, () => transport.destroy());
    transport.once('close', cancel);
    const goodbye = encodeFrame({ type: 'go-away', lastStream: this.#lastStream, status: 0 });
    transport.end(goodbye, () => transport.destroy());
  }

  async #take(frame: Frame): Promise<void> {
    switch (frame.type) {
      case 'open':
        return this.#open(frame);
      case 'reply':
      case 'headers':
        // Unused, but later headers are compressed with reference to these.
        await this.#inflater.unpack(frame.packedHeaders);
        return;
      case 'data':
        return this.#streams.get(frame.stream)?.deliver(frame.data, frame.isLast);
      case 'reset':
        this.#streams.get(frame.stream)?.cutOff();
        return;
      case 'ping':
        // Even IDs are responses to pings of the server, which sends none.
        if (frame.id % 2 === 1) this.#send(frame);
        return;
    }
  }

  async #open({ stream: id, isLast, packedHeaders }: Frame & { type: 'open' }): Promise<void> {
    const headers = decodeHeaderBlock(await this.#inflater.unpack(packedHeaders));
    if (id % 2 === 0 || id <= this.#lastStream)
      return this.#send({ type: 'reset', stream: id, status: resetStatus.protocolError });
    this.#lastStream = id;
    if (this.#streams.size >= this.#options.maxStreams)
      return this.#send({ type: 'reset', stream: id, status: resetStatus.refused });
    if (!this.#options.accepts(headers))
      return this.#send({ type: 'reset', stream: id, status: resetStatus.cancel });
    const stream = new SpdyStream(id, headers, {
      send: (data, last, done) => this.#send({ type: 'data', stream: id, isLast: last, data }, done),
      reset: () => this.#send({ type: 'reset', stream: id, status: resetStatus.cancel }),
      gone: () => this.#streams.delete(id),
    });
    this.#streams.set(id, stream);
    const answer = this.#packer.pack(encodeHeaderBlock({}));
    this.#send({ type: 'reply', stream: id, isLast: false, packedHeaders: answer });
    this.#options.opened(stream);
    if (isLast) await stream.deliver(Buffer.alloc(0), true);
  }

  #send(frame: Exclude<Frame, { type: 'other' }>, done: (error?: Error | null) => void = () => {}): void {
    if (!this.#transport.writable) return void done(new Error('SPDY connection is closed'));
    this.#moved();
    this.#transport.write(encodeFrame(frame), (error) => done(error ?? null));
  }

  #moved(): void {
    this.#lastMove = this.#options.clock.monotonic();
  }

  #watchIdle(ms: number): void {
    const { clock, idleMs } = this.#options;
    this.#cancelIdle = clock.after(ms, () => {
      const left = this.#lastMove + idleMs - clock.monotonic();
      if (left > 0) this.#watchIdle(left);
      else this.#transport.destroy();
    });
  }
}
