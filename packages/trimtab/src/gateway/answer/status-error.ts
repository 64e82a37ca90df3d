import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import type { Status } from '@trimtab/kube/wire.ts';
import type { StatusReason } from '../../api/reasons/response-reasons.ts';
import { Refusal } from '../../versions/refusal.ts';

/** A refusal of the gateway itself, with the headers of its response. */
export class StatusError extends Refusal {
  override readonly name = 'StatusError';
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    reason: StatusReason,
    message: string,
    details?: Status['details'],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, reason, message, details);
    this.headers = headers;
  }
}

/** The caller is not authenticated. */
export function unauthorized(message: string): StatusError {
  return new StatusError(401, 'Unauthorized', message);
}

export function forbidden(message: string): StatusError {
  return new StatusError(403, 'Forbidden', message);
}

/** A limit is reached: of this caller (429), or of the whole gateway (503). */
export function retryLater(code: 429 | 503, message: string, retryAfterSeconds: number): StatusError {
  return new StatusError(
    code,
    code === 429 ? 'TooManyRequests' : 'ServiceUnavailable',
    message,
    { retryAfterSeconds },
    { 'retry-after': String(retryAfterSeconds) },
  );
}

/**
 * Converts a failed API call to the response for the caller: the API server's own Status, or an error without a
 * response. `mayHaveChanged` is for requests that need several calls; by default the failed call alone decides.
 * Returns undefined for any other error.
 */
export function fromUpstream(error: unknown, mayHaveChanged?: boolean): StatusError | undefined {
  if (error instanceof ApiError) {
    const retry = error.retryAfterSeconds;
    return new StatusError(
      error.status,
      // The API server's own reason passes through unchanged.
      error.reason as StatusReason,
      error.body.message ?? `the API server responded with status ${error.status}`,
      error.body.details,
      retry === undefined ? {} : { 'retry-after': String(retry) },
    );
  }
  if (!(error instanceof NetworkError)) return undefined;
  const done =
    (mayHaveChanged ?? error.sent === 'maybe')
      ? 'The request may have taken effect: check before you retry.'
      : 'Nothing was changed.';
  if (error.code === 'ETIMEDOUT')
    return new StatusError(504, 'Timeout', `the API server did not respond in time. ${done}`);
  return new StatusError(503, 'ServiceUnavailable', `the API server cannot be reached. ${done}`, undefined, {
    'retry-after': '1',
  });
}
