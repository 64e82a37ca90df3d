import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import type { Status } from '@trimtab/kube/wire.ts';

/** A refusal that is answered as it is: everything a handler throws on purpose is one of these. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly body: Status & { code: number };
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    reason: string,
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

/** Nobody knows who asks. */
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

/** As Kubernetes says that fields of an object are wrong: every one of them, with its path. */
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
 * What a failed call to the API server is for our caller: its own Status, or that there was none. `mayHaveChanged`
 * is for requests that take several calls; without it, the failed one is all there was.
 */
export function fromUpstream(error: unknown, mayHaveChanged?: boolean): StatusError | undefined {
  if (error instanceof ApiError) {
    const retry = error.retryAfterSeconds;
    return new StatusError(
      error.status,
      error.reason,
      error.body.message ?? `the API server answered ${error.status}`,
      error.body.details,
      retry === undefined ? {} : { 'retry-after': String(retry) },
    );
  }
  if (!(error instanceof NetworkError)) return undefined;
  const done =
    (mayHaveChanged ?? error.sent === 'maybe')
      ? 'The request may have taken effect: look first.'
      : 'Nothing was changed.';
  if (error.code === 'ETIMEDOUT')
    return new StatusError(504, 'Timeout', `the API server did not answer in time. ${done}`);
  return new StatusError(503, 'ServiceUnavailable', `the API server cannot be reached. ${done}`, undefined, {
    'retry-after': '1',
  });
}
