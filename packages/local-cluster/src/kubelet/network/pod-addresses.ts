import { createHash } from 'node:crypto';

/**
 * Addresses of pods, all on the loopback device, where Linux accepts every 127.x.y.z. Each local cluster of a machine
 * has a separate range. A released address is reused as late as possible.
 */
export class PodAddresses {
  readonly #prefix: string;
  readonly #taken = new Map<string, string>();
  #next = 1;

  /** `scope` distinguishes the local clusters of a machine: the state folder. */
  constructor(scope: string) {
    const [first = 0] = createHash('sha256').update(scope).digest();
    // Addresses of 127.0 are used by the system (127.0.0.1, 127.0.0.53, 127.0.1.1).
    this.#prefix = `127.${16 + (first % 224)}`;
  }

  /** Reserves the address that the pod had before a restart of the kubelet. */
  keep(uid: string, address: string): void {
    this.#taken.set(address, uid);
    const [network, neighbour, high, low] = address.split('.').map(Number);
    if (`${network}.${neighbour}` === this.#prefix)
      this.#next = Math.max(this.#next, (high ?? 0) * 256 + (low ?? 0) + 1);
  }

  /** Undefined when all 65,000 are in use. */
  take(uid: string): string | undefined {
    for (let tries = 0; tries < 65_534; tries++) {
      const number = ((this.#next - 1) % 65_534) + 1;
      this.#next = number + 1;
      const address = `${this.#prefix}.${number >> 8}.${number & 255}`;
      if (this.#taken.has(address)) continue;
      this.#taken.set(address, uid);
      return address;
    }
    return undefined;
  }

  giveBack(uid: string): void {
    for (const [address, owner] of this.#taken) if (owner === uid) this.#taken.delete(address);
  }
}
