import { createHash } from 'node:crypto';
import type { Clock } from '@trimtab/kube/clock.ts';
import { LeastRecentlyUsed } from '@trimtab/kube/limits/least-recently-used.ts';
import { type Bucket, spend } from '@trimtab/kube/limits/token-bucket.ts';
import { StatusError } from '../answer/status-error.ts';

export interface RateLimits {
  /** For one credential in the long run; 0 limits nobody. */
  requestsPerSecond: number;
  /** How many may come at once after a quiet time. */
  burst: number;
}

/** Many people may share an address (a NAT, an ingress), so it gets more than one of them. */
const addressFactor = 4;
/** More clients than this at once are forgotten one by one, which gives the oldest a full bucket again. */
const maxClients = 10_000;

/** A bucket for each credential and one for each address: without the latter, made-up credentials would have no limit. */
export class RateLimit {
  readonly #buckets = new LeastRecentlyUsed<Bucket>(maxClients);
  readonly #limits: RateLimits;
  readonly #clock: Clock;

  constructor(limits: RateLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Throws a 429 that says when to come again. */
  check(address: string, authorization: string | undefined): void {
    const { requestsPerSecond: rate, burst } = this.#limits;
    if (rate === 0) return;
    this.#spend(`address ${address}`, rate * addressFactor, burst * addressFactor);
    if (authorization !== undefined) this.#spend(fingerprint(authorization), rate, burst);
  }

  #spend(key: string, perSecond: number, burst: number): void {
    const limits = { burst, refillMs: 1000 / perSecond };
    const { allowed, bucket } = spend(this.#buckets.get(key), limits, this.#clock.monotonic());
    this.#buckets.set(key, bucket);
    if (!allowed) throw tooManyRequests(Math.ceil(((1 - bucket.tokens) * limits.refillMs) / 1000));
  }
}

/** Credentials themselves are not kept. */
function fingerprint(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64');
}

function tooManyRequests(retryAfterSeconds: number): StatusError {
  const message = 'too many requests of yours have reached the gateway; try again later';
  const retry = Math.max(1, retryAfterSeconds);
  return new StatusError(
    429,
    'TooManyRequests',
    message,
    { retryAfterSeconds: retry },
    {
      'retry-after': String(retry),
    },
  );
}
