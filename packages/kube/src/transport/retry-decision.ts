import { ApiError, NetworkError } from './errors.ts';

/**
 * A read is retried, because it changes nothing. A write is retried only when the server certainly did not execute
 * it. A watch is not retried here, because its caller has its own backoff.
 */
export type RequestKind = 'read' | 'write' | 'watch';

export interface FailedAttempt {
  error: unknown;
  kind: RequestKind;
  /** Number of attempts so far, including this one. */
  attempts: number;
  /** Whether the credentials have already been renewed for this call. */
  credentialsRenewed: boolean;
  /** Time until the timeout of the call. */
  remainingMs: number;
  /** Limits the time that the server asks for with Retry-After. */
  maxRetryAfterMs: number;
  /** A random number from 0 to 1, so clients that failed together do not retry together. */
  jitter: number;
}

export type RetryDecision =
  | { action: 'give up' }
  | { action: 'renew credentials' }
  | { action: 'retry'; delayMs: number };

const maxAttempts = 5;
const firstDelayMs = 50;
const maxDelayMs = 5_000;

const giveUp: RetryDecision = { action: 'give up' };

export function retryDecision(failed: FailedAttempt): RetryDecision {
  const { error, attempts } = failed;
  if (error instanceof ApiError && error.status === 401)
    return failed.credentialsRenewed ? giveUp : { action: 'renew credentials' };
  if (attempts >= maxAttempts || !mayRepeat(error, failed.kind)) return giveUp;
  const delayMs = delayFor(failed);
  return delayMs < failed.remainingMs ? { action: 'retry', delayMs } : giveUp;
}

function mayRepeat(error: unknown, kind: RequestKind): boolean {
  if (kind === 'watch') return false;
  const safe = kind === 'read';
  if (error instanceof NetworkError) return networkMayRepeat(error, safe);
  if (!(error instanceof ApiError)) return false;
  // A 429 with Retry-After means that the server rejected the request before processing it.
  if (error.status === 429) return safe || error.retryAfterSeconds !== undefined;
  if (!safe) return false;
  // A 500 without Retry-After is final: client-go retries a 5xx only when the server sends Retry-After.
  return (
    [502, 503, 504].includes(error.status) || (error.status >= 500 && error.retryAfterSeconds !== undefined)
  );
}

function networkMayRepeat(error: NetworkError, safe: boolean): boolean {
  if (hopeless.has(error.code) || /^(ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/.test(error.code))
    return false;
  return safe || error.sent === 'no';
}

/** Failures that a retry cannot fix: size or format of the response. Certificate errors are matched above. */
const hopeless = new Set(['ERR_BODY_TOO_LARGE', 'ERR_BODY_NOT_JSON', 'ERR_CLIENT_CLOSED']);

/** Half of the delay is fixed and half is jitter. With Retry-After, the delay is that time plus jitter. */
function delayFor({ error, attempts, jitter, maxRetryAfterMs }: FailedAttempt): number {
  const step = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempts - 1));
  const retryAfterMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  const asked = Math.min(retryAfterMs, maxRetryAfterMs);
  return asked > 0 ? asked + step * jitter : (step / 2) * (1 + jitter);
}
