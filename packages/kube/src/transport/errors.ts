import type { Status } from '../wire.ts';

/** The server responded with an error. Use `reason` (such as `AlreadyExists`) to distinguish errors. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly reason: string;
  readonly body: Status;
  /** Method and path, such as `GET /api/v1/pods`; undefined for an error that no request of this client received. */
  readonly request?: string;
  /** Retry-After of the response; undefined when the response has none. */
  readonly retryAfterSeconds?: number;

  constructor(status: number, body: Status, about: { request?: string; retryAfterSeconds?: number } = {}) {
    const reason = body.reason || usualReason(status);
    const text = body.message || `the server responded with status ${status}`;
    super(`${about.request === undefined ? '' : `${about.request}: `}${text} (${status} ${reason})`);
    this.status = status;
    this.reason = reason;
    this.body = body;
    if (about.request !== undefined) this.request = about.request;
    if (about.retryAfterSeconds !== undefined) this.retryAfterSeconds = about.retryAfterSeconds;
  }
}

/** The client received no response or an incomplete one. Never caused by an HTTP status. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /**
   * Code of the operating system or TLS library (`ECONNREFUSED`), or of this client (`ETIMEDOUT`,
   * `ERR_BODY_NOT_JSON`).
   */
  readonly code: string;
  /** `no`: the request certainly did not reach the server. `maybe`: the request may have taken effect. */
  readonly sent: 'no' | 'maybe';

  constructor(code: string, sent: 'no' | 'maybe', message: string) {
    super(`${message} (${code})`);
    this.code = code;
    this.sent = sent;
  }
}

/** Whether a failed write can have taken effect: there was no response, or the server failed after it began. */
export function mayHaveTakenEffect(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500;
  return error instanceof NetworkError && error.sent === 'maybe';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** The object has changed since it was read. The caller must read it again before the next write. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason === 'Conflict';
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** The resourceVersion or the continue token has expired. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}

export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

/** The reason that an API server uses for the status, for responses of proxies without a Status. */
function usualReason(status: number): string {
  return reasons[status] ?? 'Unknown';
}

const reasons: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
