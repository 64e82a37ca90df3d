import { randomInt } from 'node:crypto';
import type { Store } from '../../store/store.ts';
import type { AddressAllocator } from '../kinds/kind.ts';

const firstPort = 30_000;
const lastPort = 32_767;
/** 10.96.0.0/16; .0.1 is reserved for the `kubernetes` Service and .0.10 for DNS. */
const network = '10.96.';
const firstAddress = 256;
const lastAddress = 65_534;

interface ServiceText {
  spec?: { clusterIPs?: string[]; ports?: { nodePort?: number }[] };
}

/**
 * Allocates addresses and ports of Services. Those in use are listed once and then kept up to date by a watch. A claim
 * takes effect at once, so concurrent requests do not get the same address.
 */
export class StoreAddressAllocator implements AddressAllocator {
  readonly #taken = new Map<string, Set<string | number>>();
  readonly #claimed = new Set<string | number>();
  readonly #stop: () => void;

  constructor(store: Store, prefix: string) {
    const listed = store.list(prefix);
    for (const { key, value } of listed.items) this.#taken.set(key, usedBy(value));
    this.#stop = store.watch(listed.revision, ({ type, now }) => {
      if (!now.key.startsWith(prefix)) return;
      const used = usedBy(now.value);
      if (type === 'delete') this.#taken.delete(now.key);
      else this.#taken.set(now.key, used);
      for (const each of used) this.#claimed.delete(each);
    });
  }

  clusterIp(options: { dryRun: boolean }): string {
    const size = lastAddress - firstAddress + 1;
    const start = randomInt(size);
    for (let step = 0; step < size; step++) {
      const number = firstAddress + ((start + step) % size);
      const address = `${network}${number >> 8}.${number & 0xff}`;
      if (this.claim(address, options) === undefined) return address;
    }
    throw new RangeError('all cluster IPs are allocated');
  }

  nodePort(options: { dryRun: boolean }): number {
    const size = lastPort - firstPort + 1;
    const start = randomInt(size);
    for (let step = 0; step < size; step++) {
      const port = firstPort + ((start + step) % size);
      if (this.claim(port, options) === undefined) return port;
    }
    throw new RangeError('all node ports are allocated');
  }

  claim(address: string | number, { dryRun }: { dryRun: boolean }): string | undefined {
    if (this.#claimed.has(address) || this.#taken.values().some((used) => used.has(address)))
      return 'provided IP is already allocated';
    if (!dryRun) this.#claimed.add(address);
    return undefined;
  }

  close(): void {
    this.#stop();
  }
}

function usedBy(text: string): Set<string | number> {
  const { spec } = JSON.parse(text) as ServiceText;
  const ports = (spec?.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []);
  return new Set<string | number>([...(spec?.clusterIPs ?? []).filter((each) => each !== 'None'), ...ports]);
}
