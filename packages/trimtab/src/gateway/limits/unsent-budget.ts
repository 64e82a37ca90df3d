import { Quota } from '@trimtab/kube/limits/quota.ts';
import { retryLater } from '../answer/status-error.ts';

const maxBytes = { total: 128 * 1024 * 1024, perHolder: 32 * 1024 * 1024 };

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
  /** Throws a StatusError 429 for a caller who uses the whole budget, before the request changes anything. */
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
  readonly #quota = new Quota(maxBytes);

  get used(): number {
    return this.#quota.used;
  }

  open(caller: string): UnsentAccount {
    let charged = 0;
    let isClosed = false;
    const release = (bytes: number) => {
      const released = Math.min(bytes, charged);
      charged -= released;
      this.#quota.release(caller, released);
    };
    return {
      fits: (bytes) => this.#quota.exhaustedBy(caller, bytes) === undefined,
      charge: (bytes) => {
        if (isClosed || bytes === 0) return;
        const exhausted = this.#quota.take(caller, bytes);
        if (exhausted === 'holder') throw unread();
        if (exhausted === 'total')
          throw retryLater(503, 'The gateway has no memory left for responses; retry after 1 s', 1);
        charged += bytes;
      },
      note: (bytes) => {
        if (isClosed) return;
        this.#quota.add(caller, bytes);
        charged += bytes;
      },
      admitWrite: () => {
        if (this.#quota.exhaustedBy(caller, 1) === 'holder') throw unread();
      },
      release,
      close: () => {
        isClosed = true;
        release(charged);
      },
    };
  }
}

function unread() {
  return retryLater(
    429,
    `The responses and watches that you have not read yet hold ${maxBytes.perHolder / 2 ** 20} MiB on the gateway; read or close them, and retry after 1 s`,
    1,
  );
}
