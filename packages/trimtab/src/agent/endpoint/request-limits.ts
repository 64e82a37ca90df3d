import { type Bucket, spend } from '@trimtab/kube/limits/token-bucket.ts';
import { tooManyRequests } from './request-error.ts';

const failures = { burst: 20, refillMs: 100 };
const requests = { burst: 200, refillMs: 10 };

/** Rate limits of the endpoint. Times are monotonic. */
export class RequestLimits {
  #failures: Bucket | undefined;
  #requests: Bucket | undefined;

  /**
   * Checked before the token is compared, so that guesses beyond the limit learn nothing. Throws a RequestError 429.
   */
  requireFewFailures(now: number): void {
    const { allowed, bucket } = spend(this.#failures, failures, now);
    if (!allowed)
      throw tooManyRequests(
        'Too many requests with a wrong token or without one',
        (1 - bucket.tokens) * failures.refillMs,
      );
  }

  countFailure(now: number): void {
    this.#failures = spend(this.#failures, failures, now).bucket;
  }

  /** Counts a request with the right token. Throws a RequestError 429. */
  countRequest(now: number): void {
    const { allowed, bucket } = spend(this.#requests, requests, now);
    this.#requests = bucket;
    if (!allowed)
      throw tooManyRequests(
        'Rate limit of the endpoint exceeded: poll with ?wait=30s instead',
        (1 - bucket.tokens) * requests.refillMs,
      );
  }
}
