import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Creates both ends of a connection within this process. They implement only the part of Socket that HTTP uses. */
export function inProcessSockets(): [near: Socket, far: Socket] {
  const [near, far] = [new InProcessSocket(), new InProcessSocket()];
  near.pairWith(far);
  far.pairWith(near);
  return [near, far] as unknown as [Socket, Socket];
}

class InProcessSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly connecting = false;
  #peer: InProcessSocket | undefined;
  /** Completes the pending write of the peer; called when this end reads again. */
  #resume: (() => void) | undefined;

  pairWith(peer: InProcessSocket): void {
    this.#peer = peer;
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    const peer = this.#peer;
    if (peer === undefined || peer.destroyed) done(reset());
    else if (peer.push(chunk)) done();
    else peer.#resume = done;
  }

  override _final(done: () => void): void {
    this.#peer?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const peer = this.#peer;
    this.#resume?.();
    this.#resume = undefined;
    // As over a network, the other end is notified asynchronously.
    process.nextTick(() => {
      if (peer !== undefined && !peer.destroyed) peer.destroy(peer.readableEnded ? undefined : reset());
    });
    done(error);
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function reset(): Error {
  return Object.assign(new Error('the peer closed the connection'), { code: 'ECONNRESET' });
}
