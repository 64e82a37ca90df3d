import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import type { Status } from '@trimtab/kube/wire.ts';
import type { StatusReason } from '../../api/reasons/response-reasons.ts';

/** An error response. Every refusal that a handler throws on purpose is a StatusError. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly body: Status & { code: number };
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    reason: StatusReason,
    message: string,
    details?: Status['details'],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details && { details }),
      code,
    };
    this.headers = headers;
  }
}

interface About {
  /** `configmaps` */
  kind: string;
  name: string;
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

/** The caller is not authenticated. */
export function unauthorized(message: string): StatusError {
  return new StatusError(401, 'Unauthorized', message);
}

export function forbidden(message: string): StatusError {
  return new StatusError(403, 'Forbidden', message);
}

export function notFound(message: string, about?: About): StatusError {
  return new StatusError(404, 'NotFound', message, about);
}

export function conflict(message: string, about?: About): StatusError {
  return new StatusError(409, 'Conflict', message, about);
}

export function alreadyExists(message: string, about?: About): StatusError {
  return new StatusError(409, 'AlreadyExists', message, about);
}

/** A 422 in Kubernetes' format, which names each invalid field by its path. */
export function invalid(about: About, problems: readonly { field: string; problem: string }[]): StatusError {
  const text = problems.map(({ field, problem }) => `${field}: ${problem}`).join(', ');
  const causes = problems.map(({ field, problem }) => ({
    reason: 'FieldValueInvalid',
    message: problem,
    field,
  }));
  return new StatusError(422, 'Invalid', `${about.kind} ${JSON.stringify(about.name)} is invalid: ${text}`, {
    ...about,
    causes,
  });
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
