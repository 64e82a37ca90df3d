import { createHash } from 'node:crypto';
import type { LocalPorts } from '../../objects/local-ports.ts';
import { isFree } from './local-port.ts';

/** Below what Linux (32768) and macOS (49152) give away by themselves: nobody gets one of ours by chance. */
const first = 20_000;
const count = 10_000;

/**
 * Ports on 127.0.0.1 for pods that have no address of their own. A port stays its pod's until that gives it back, also
 * while nobody listens on it. One that was given back is given out again as late as possible.
 */
export class PodPorts {
  readonly #owners = new Map<number, string>();
  readonly #isFree: (port: number) => Promise<boolean>;
  #next: number;

  /** `scope` tells this cluster from others of the machine: each begins somewhere else. */
  constructor(scope: string, isFreeNow = isFree) {
    this.#isFree = isFreeNow;
    this.#next = createHash('sha256').update(scope).digest().readUInt32BE(0) % count;
  }

  /** What this pod has had, after a restart of the kubelet. */
  keep(uid: string, ports: LocalPorts): void {
    for (const local of ports.values()) this.#owners.set(local, uid);
  }

  /** One for each port that is wanted, the one it had where nobody else listens there. Undefined when all are in use. */
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
      // Taken before we look: others look at the same time.
      this.#owners.set(port, uid);
      if (await this.#isFree(port)) return port;
      this.#owners.delete(port);
    }
    return undefined;
  }
}
