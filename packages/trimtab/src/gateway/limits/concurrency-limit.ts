import { Quota } from '@trimtab/kube/limits/quota.ts';
import { retryLater } from '../answer/status-error.ts';

/** Of all that is open, one address may have half and one credential a quarter. */
const addressShare = 1 / 2;
const credentialShare = 1 / 4;

/** Streams end rarely, so a retry after a second would meet the same limit. */
const kinds = {
  requests: { are: 'requests', inState: 'in progress', retrySeconds: 1, remedy: '' },
  streams: {
    are: 'watches and other streams',
    inState: 'open',
    retrySeconds: 5,
    remedy: 'close some of them, or ',
  },
};

/** Limits what is open at the same time: requests in progress, or streams. */
export class ConcurrencyLimit {
  readonly #kind: (typeof kinds)[keyof typeof kinds];
  readonly #addresses: Quota;
  readonly #credentials: Quota;

  constructor(kind: keyof typeof kinds, max: number) {
    this.#kind = kinds[kind];
    this.#addresses = new Quota({ total: max, perHolder: Math.ceil(max * addressShare) });
    this.#credentials = new Quota({ total: max, perHolder: Math.ceil(max * credentialShare) });
  }

  get size(): number {
    return this.#addresses.used;
  }

  /** Returns the function to call when the request is over. Throws a StatusError 429, or 503 for the limit in all. */
  enter(address: string, credential: string | undefined): () => void {
    const holder = credential ?? `address ${address}`;
    const byCredential = this.#credentials.take(holder, 1);
    if (byCredential !== undefined) throw this.#refused(byCredential === 'total' ? 'total' : 'credential');
    const byAddress = this.#addresses.take(address, 1);
    if (byAddress !== undefined) {
      this.#credentials.release(holder, 1);
      throw this.#refused(byAddress === 'total' ? 'total' : 'address');
    }
    return () => {
      this.#credentials.release(holder, 1);
      this.#addresses.release(address, 1);
    };
  }

  #refused(limit: 'credential' | 'address' | 'total') {
    const { are, inState, retrySeconds, remedy } = this.#kind;
    if (limit === 'total')
      return retryLater(
        503,
        `Too many ${are} are ${inState} on the gateway; retry after ${retrySeconds} s`,
        retrySeconds,
      );
    return retryLater(
      429,
      `Too many ${are} of this ${limit} are ${inState}; ${remedy}retry after ${retrySeconds} s`,
      retrySeconds,
    );
  }
}
