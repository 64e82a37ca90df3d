import { Quota } from '@trimtab/kube/limits/quota.ts';
import { retryLater } from '../answer/status-error.ts';

const total = 128 * 1024 * 1024;
const maxBytes = { caller: { total, perHolder: total / 4 }, address: { total, perHolder: total / 2 } };

/** The operating system takes a write of this size for a client that has read what came before. */
export const smallWriteBytes = 16 * 1024;

/** The part of the budget that one response uses. */
export interface UnsentAccount {
  /** Whether a charge of so many bytes would succeed. */
  fits(bytes: number): boolean;
  /** Throws a StatusError 429, or 503 when the budget of all callers is used up. */
  charge(bytes: number): void;
  /** Counts bytes of a response that cannot be refused any more, because the request has changed something. */
  note(bytes: number): void;
  /** Throws a StatusError 429 for a caller or an address without budget left, before the request changes anything. */
  admitWrite(): void;
  /** Gives back bytes that the client has taken. */
  release(bytes: number): void;
  /** Gives everything back; later calls have no effect. */
  close(): void;
}

/**
 * Limits the memory for what clients have not taken yet of the responses and watches of the gateway's own routes. Passed
 * responses are read from the API server no faster than the client takes them.
 */
export class UnsentBudget {
  readonly #callers = new Quota(maxBytes.caller);
  /** One client can send the credentials of many callers. */
  readonly #addresses = new Quota(maxBytes.address);

  get used(): number {
    return this.#callers.used;
  }

  open(caller: string, address: string): UnsentAccount {
    let charged = 0;
    let isClosed = false;
    const exhaustedBy = (bytes: number): 'caller' | 'address' | 'total' | undefined => {
      const byCaller = this.#callers.exhaustedBy(caller, bytes);
      const byAddress = this.#addresses.exhaustedBy(address, bytes);
      if (byCaller === 'holder') return 'caller';
      return byAddress === 'holder' ? 'address' : byCaller;
    };
    const add = (bytes: number) => {
      this.#callers.add(caller, bytes);
      this.#addresses.add(address, bytes);
      charged += bytes;
    };
    const release = (bytes: number) => {
      const released = Math.min(bytes, charged);
      charged -= released;
      this.#callers.release(caller, released);
      this.#addresses.release(address, released);
    };
    return {
      fits: (bytes) => exhaustedBy(bytes) === undefined,
      charge: (bytes) => {
        if (isClosed || bytes === 0) return;
        const exhausted = exhaustedBy(bytes);
        if (exhausted === 'total')
          throw retryLater(503, 'The gateway has no memory left for responses; retry after 1 s', 1);
        if (exhausted !== undefined) throw unread(exhausted);
        add(bytes);
      },
      note: (bytes) => {
        if (!isClosed) add(bytes);
      },
      admitWrite: () => {
        const exhausted = exhaustedBy(1);
        if (exhausted === 'caller' || exhausted === 'address') throw unread(exhausted);
      },
      release,
      close: () => {
        isClosed = true;
        release(charged);
      },
    };
  }
}

function unread(whose: 'caller' | 'address') {
  const which = whose === 'caller' ? 'that you have' : 'that clients of your address have';
  return retryLater(
    429,
    `The responses and watches ${which} not read yet hold ${maxBytes[whose].perHolder / 2 ** 20} MiB on the gateway; read or close them, and retry after 1 s`,
    1,
  );
}
