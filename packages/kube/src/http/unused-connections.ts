import type { Socket } from 'node:net';
import { addressBlock } from '../limits/address-block.ts';

/** Of all unused connections, one address may have this part. */
const addressShare = 1 / 4;

/**
 * Limits the connections that have not sent a request yet. They cost a client nothing, and memory here. A client sends its
 * request as soon as it is connected, so the oldest one is closed: many clients that connect at once lose none.
 */
export class UnusedConnections {
  readonly #max: { total: number; perAddress: number };
  readonly #onSurplus: (address: string) => void;
  /** Oldest first, with the holder of each. */
  readonly #all = new Map<Socket, string>();
  readonly #byHolder = new Map<string, Set<Socket>>();

  constructor(max: number, onSurplus: (address: string) => void) {
    this.#max = { total: max, perAddress: Math.ceil(max * addressShare) };
    this.#onSurplus = onSurplus;
  }

  add(socket: Socket): void {
    const holder = addressBlock(socket.remoteAddress ?? 'unknown');
    const own = this.#byHolder.get(holder) ?? new Set();
    this.#byHolder.set(holder, own);
    own.add(socket);
    this.#all.set(socket, holder);
    if (own.size > this.#max.perAddress) this.#closeOldest(own);
    else if (this.#all.size > this.#max.total) this.#closeOldest(this.#all.keys());
  }

  /** Must be called when the connection has sent a request, and when it is closed. */
  remove(socket: Socket): void {
    const holder = this.#all.get(socket);
    if (holder === undefined) return;
    this.#all.delete(socket);
    const own = this.#byHolder.get(holder);
    own?.delete(socket);
    if (own?.size === 0) this.#byHolder.delete(holder);
  }

  #closeOldest(sockets: Iterable<Socket>): void {
    for (const oldest of sockets) {
      const address = this.#all.get(oldest) ?? 'unknown';
      this.remove(oldest);
      oldest.destroy();
      this.#onSurplus(address);
      return;
    }
  }
}
