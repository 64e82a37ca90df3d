import { Duplex } from 'node:stream';
import type { Headers } from './header-block.ts';

/** So much may wait for its reader before the whole connection does. */
const maxWaiting = 256 * 1024;

export interface StreamWires {
  /** `done` is called when the connection has taken it. */
  send(data: Buffer, isLast: boolean, done: (error?: Error | null) => void): void;
  reset(): void;
  /** Nothing more will come or go. */
  gone(): void;
}

/** One stream of a SPDY connection. To destroy it is to reset it, unless both sides had ended. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Headers;
  readonly #wires: StreamWires;
  #room: (() => void) | undefined;
  #isOver = false;

  constructor(id: number, headers: Headers, wires: StreamWires) {
    super({ readableHighWaterMark: maxWaiting, allowHalfOpen: true, emitClose: true });
    this.id = id;
    this.headers = headers;
    this.#wires = wires;
    // A stream that is reset is an everyday thing; who cares listens, too.
    this.on('error', () => {});
  }

  /** What has come for it. Resolves when more may come. */
  async deliver(data: Buffer, isLast: boolean): Promise<void> {
    if (this.destroyed || this.readableEnded) return;
    const hasRoom = data.length === 0 || this.push(data);
    if (isLast) this.push(null);
    else if (!hasRoom)
      await new Promise<void>((resolve) => {
        this.#room = resolve;
      });
  }

  /** The other side wants no more of it, or is gone. */
  cutOff(): void {
    this.#isOver = true;
    this.destroy(new Error('the stream was reset'));
  }

  override _read(): void {
    this.#room?.();
    this.#room = undefined;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#wires.send(chunk, false, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#wires.send(Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const isEnded = this.readableEnded && this.writableFinished;
    if (!this.#isOver && !isEnded) this.#wires.reset();
    this._read();
    this.#wires.gone();
    done(error);
  }
}
