import { createHash } from 'node:crypto';
import type { LocalPorts } from '../../objects/local-ports.ts';
import { isFree } from './local-port.ts';

/** Below the ephemeral ports of Linux (from 32768) and macOS (from 49152), so the system assigns none of these. */
const first = 20_000;
const count = 10_000;

/**
 * Ports on 127.0.0.1 for pods without their own address. A port belongs to its pod until it is released, even while no
 * process listens on it. A released port is reused as late as possible.
 */
export class PodPorts {
  readonly #owners = new Map<number, string>();
  readonly #isFree: (port: number) => Promise<boolean>;
  #next: number;

  /** `scope` distinguishes the local clusters of a machine: each begins with a different port. */
  constructor(scope: string, isFreeNow = isFree) {
    this.#isFree = isFreeNow;
    this.#next = createHash('sha256').update(scope).digest().readUInt32BE(0) % count;
  }

  /** Reserves the ports that the pod had before a restart of the kubelet. */
  keep(uid: string, ports: LocalPorts): void {
    for (const local of ports.values()) this.#owners.set(local, uid);
  }

  /** Assigns a local port to each wanted port, if possible the previous one. Undefined when all ports are in use. */
  async take(uid: string, wanted: readonly number[], had: LocalPorts): Promise<LocalPorts | undefined> {
    const found = new Map<number, number>();
    for (const port of wanted) {
      const local = (await this.#again(uid, had.get(port))) ?? (await this.#another(uid));
      if (local === undefined) break;
      found.set(port, local);
    }
    const isWhole = wanted.every((port) => found.has(port));
    const used = new Set(isWhole ? found.values() : []);
    for (const [port, owner] of this.#owners) if (owner === uid && !used.has(port)) this.#owners.delete(port);
    return isWhole ? found : undefined;
  }

  giveBack(uid: string): void {
    for (const [port, owner] of this.#owners) if (owner === uid) this.#owners.delete(port);
  }

  async #again(uid: string, had: number | undefined): Promise<number | undefined> {
    const isOurs = had !== undefined && this.#owners.get(had) === uid;
    return isOurs && (await this.#isFree(had)) ? had : undefined;
  }

  async #another(uid: string): Promise<number | undefined> {
    for (let tries = 0; tries < count; tries++) {
      const port = first + (this.#next++ % count);
      if (this.#owners.has(port)) continue;
      // The port is reserved before the asynchronous check, because other pods are assigned ports concurrently.
      this.#owners.set(port, uid);
      if (await this.#isFree(port)) return port;
      this.#owners.delete(port);
    }
    return undefined;
  }
}
