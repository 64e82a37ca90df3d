import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** The two ends of a connection inside this process. What HTTP asks of a socket they have, and no more. */
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
  /** The peer has not read enough to take more: called when it has. */
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
    // As over the network, the other end hears of it a moment later.
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
  return Object.assign(new Error('the other end of the connection is gone'), { code: 'ECONNRESET' });
}
