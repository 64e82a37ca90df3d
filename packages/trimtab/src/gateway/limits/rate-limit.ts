import type { Clock } from '@trimtab/kube/clock.ts';
import { LeastRecentlyUsed } from '@trimtab/kube/limits/least-recently-used.ts';
import { type Bucket, spend } from '@trimtab/kube/limits/token-bucket.ts';
import { retryLater, type StatusError } from '../answer/status-error.ts';

export interface RateLimits {
  /** Sustained requests per second per credential; 0 disables the limit. */
  requestsPerSecond: number;
  /** Requests that a credential may send at once after an idle period. */
  burst: number;
}

type Subject = 'credential' | 'address';

/** Several users may share an address (NAT, ingress), so its limit is a multiple of the limit per credential. */
const addressFactor = 4;
/** Beyond this number the least recently used bucket is dropped, and its client starts with a full bucket again. */
const maxClients = 10_000;

/** One bucket per credential and one per address. Without the latter, made-up credentials would evade the limit. */
export class RateLimit {
  readonly #buckets = new LeastRecentlyUsed<Bucket>(maxClients);
  readonly #limits: RateLimits;
  readonly #clock: Clock;

  constructor(limits: RateLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** `credential` is its fingerprint. Throws a StatusError 429 that says when to retry. */
  check(address: string, credential: string | undefined): void {
    const { requestsPerSecond: rate, burst } = this.#limits;
    if (rate === 0) return;
    this.#spend('address', address, rate * addressFactor, burst * addressFactor);
    if (credential !== undefined) this.#spend('credential', credential, rate, burst);
  }

  #spend(subject: Subject, id: string, perSecond: number, burst: number): void {
    const key = `${subject} ${id}`;
    const limits = { burst, refillMs: 1000 / perSecond };
    const { allowed, bucket } = spend(this.#buckets.get(key), limits, this.#clock.monotonic());
    this.#buckets.set(key, bucket);
    if (!allowed) throw tooManyRequests(subject, Math.ceil(((1 - bucket.tokens) * limits.refillMs) / 1000));
  }
}

function tooManyRequests(subject: Subject, retryAfterSeconds: number): StatusError {
  const retry = Math.max(1, retryAfterSeconds);
  return retryLater(429, `Rate limit exceeded for this ${subject}; retry after ${retry} s`, retry);
}
