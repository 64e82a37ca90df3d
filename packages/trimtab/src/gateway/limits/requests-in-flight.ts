import { Quota } from '@trimtab/kube/limits/quota.ts';
import { retryLater } from '../answer/status-error.ts';

/** Of all requests in flight, one address may have half and one credential a quarter. */
const addressShare = 1 / 2;
const credentialShare = 1 / 4;

/** Limits the requests that are served at the same time. Watches and other streams are not counted. */
export class RequestsInFlight {
  readonly #addresses: Quota;
  readonly #credentials: Quota;

  constructor(max: number) {
    this.#addresses = new Quota({ total: max, perHolder: Math.ceil(max * addressShare) });
    this.#credentials = new Quota({ total: max, perHolder: Math.ceil(max * credentialShare) });
  }

  get size(): number {
    return this.#addresses.used;
  }

  /** Returns the function to call when the request is done. Throws a StatusError 429, or 503 for the limit in all. */
  enter(address: string, credential: string | undefined): () => void {
    const holder = credential ?? `address ${address}`;
    const byCredential = this.#credentials.take(holder, 1);
    if (byCredential !== undefined) throw refused(byCredential === 'total' ? 'total' : 'credential');
    const byAddress = this.#addresses.take(address, 1);
    if (byAddress !== undefined) {
      this.#credentials.release(holder, 1);
      throw refused(byAddress === 'total' ? 'total' : 'address');
    }
    return () => {
      this.#credentials.release(holder, 1);
      this.#addresses.release(address, 1);
    };
  }
}

function refused(limit: 'credential' | 'address' | 'total') {
  if (limit === 'total')
    return retryLater(503, 'Too many requests are in progress on the gateway; retry after 1 s', 1);
  return retryLater(429, `Too many requests of this ${limit} are in progress; retry after 1 s`, 1);
}
