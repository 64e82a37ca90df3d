import { Quota } from '@trimtab/kube/limits/quota.ts';
import { retryLater } from '../answer/status-error.ts';

/** Parsed bodies need a few times as much memory. */
const maxBytes = { total: 64 * 1024 * 1024, perHolder: 16 * 1024 * 1024 };

/** The part of the budget that one request uses. */
export interface BodyAccount {
  /** Throws a StatusError 429, or 503 when the budget of all callers is used up. */
  charge(bytes: number): void;
  /** Releases everything; later charges have no effect. */
  close(): void;
}

/** Limits the memory for bodies of requests to the gateway's own routes. Passed bodies are streamed. */
export class BodyBudget {
  readonly #quota = new Quota(maxBytes);

  get used(): number {
    return this.#quota.used;
  }

  open(caller: string): BodyAccount {
    let charged = 0;
    let isClosed = false;
    return {
      charge: (bytes) => {
        if (isClosed) return;
        const exhausted = this.#quota.take(caller, bytes);
        if (exhausted === 'holder')
          throw retryLater(
            429,
            `The bodies of your requests in progress exceed ${maxBytes.perHolder / 2 ** 20} MiB; send fewer at a time, and retry after 1 s`,
            1,
          );
        if (exhausted === 'total')
          throw retryLater(503, 'The gateway has no memory left for request bodies; retry after 1 s', 1);
        charged += bytes;
      },
      close: () => {
        isClosed = true;
        this.#quota.release(caller, charged);
        charged = 0;
      },
    };
  }
}
