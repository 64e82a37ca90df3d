import { Duplex } from 'node:stream';
import type { Headers } from './header-block.ts';

/** Size of the read buffer. When it is full, the whole connection waits for the reader. */
const maxWaiting = 256 * 1024;

export interface StreamWires {
  /** `done` is called when the connection has accepted the data. */
  send(data: Buffer, isLast: boolean, done: (error?: Error | null) => void): void;
  reset(): void;
  /** Called when the stream neither receives nor sends any more. */
  gone(): void;
}

/** One stream of a SPDY connection. Destroying it resets it unless both sides have ended. */
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
    // Resets are normal and must not be reported as unhandled errors; interested callers add a listener.
    this.on('error', () => {});
  }

  /** Delivers received data. Resolves when the stream can accept more. */
  async deliver(data: Buffer, isLast: boolean): Promise<void> {
    if (this.destroyed || this.readableEnded) return;
    const hasRoom = data.length === 0 || this.push(data);
    if (isLast) this.push(null);
    else if (!hasRoom)
      await new Promise<void>((resolve) => {
        this.#room = resolve;
      });
  }

  /** Called when the client resets the stream or disconnects. */
  cutOff(): void {
    this.#isOver = true;
    this.destroy(new Error('SPDY stream was reset'));
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
