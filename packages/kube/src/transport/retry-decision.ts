import { ApiError, NetworkError } from './errors.ts';

/**
 * A read may be asked twice, it changes nothing. A write is repeated only when it certainly was not done. A watch
 * has an owner with a back-off of its own.
 */
export type RequestKind = 'read' | 'write' | 'watch';

export interface FailedAttempt {
  error: unknown;
  kind: RequestKind;
  /** How often it has been tried, this one included. */
  attempts: number;
  /** New credentials have been asked for once; they were refused as well. */
  credentialsRenewed: boolean;
  /** What is left of the call's time. */
  remainingMs: number;
  /** From 0 to 1, drawn by the caller, so that clients that failed together do not return together. */
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
  const delayMs = delayFor(error, attempts, failed.jitter);
  return delayMs < failed.remainingMs ? { action: 'retry', delayMs } : giveUp;
}

function mayRepeat(error: unknown, kind: RequestKind): boolean {
  if (kind === 'watch') return false;
  const safe = kind === 'read';
  if (error instanceof NetworkError) return networkMayRepeat(error, safe);
  if (!(error instanceof ApiError)) return false;
  // The server turns a request away before it looks at it, and says so by naming a time.
  if (error.status === 429) return safe || error.retryAfterSeconds !== undefined;
  if (!safe) return false;
  // A plain 500 is an answer: client-go repeats a 5xx only when the server asks for it.
  return (
    [502, 503, 504].includes(error.status) || (error.status >= 500 && error.retryAfterSeconds !== undefined)
  );
}

function networkMayRepeat(error: NetworkError, safe: boolean): boolean {
  if (hopeless.has(error.code) || /^(ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/.test(error.code))
    return false;
  return safe || error.sent === 'no';
}

/** Will be the same next time: the answer's own size or form. Certificates are, too. */
const hopeless = new Set(['ERR_BODY_TOO_LARGE', 'ERR_BODY_NOT_JSON', 'ERR_CLIENT_CLOSED']);

/** Half of the step is certain, half is jitter. What the server asks for is the least, plus jitter. */
function delayFor(error: unknown, attempts: number, jitter: number): number {
  const step = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempts - 1));
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return asked > 0 ? asked + step * jitter : (step / 2) * (1 + jitter);
}
