import type { Status } from '../wire.ts';

/** The server answered, and the answer is no. `reason` is the one word to decide by (`AlreadyExists`). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly reason: string;
  readonly body: Status;
  /** How long the server asks us to stay away; set only when it does. */
  readonly retryAfterSeconds?: number;

  constructor(status: number, body: Status, about: { request?: string; retryAfterSeconds?: number } = {}) {
    const reason = body.reason || usualReason(status);
    const text = body.message || `the server answered ${status}`;
    super(`${about.request === undefined ? '' : `${about.request}: `}${text} (${status} ${reason})`);
    this.status = status;
    this.reason = reason;
    this.body = body;
    if (about.retryAfterSeconds !== undefined) this.retryAfterSeconds = about.retryAfterSeconds;
  }
}

/** There is no answer, or only a part of one. Never an HTTP status. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** As the operating system or the TLS library names it (`ECONNREFUSED`), or one of ours (`ETIMEDOUT`). */
  readonly code: string;
  /** `no`: the request certainly never reached the server. `maybe`: it can have taken effect. */
  readonly sent: 'no' | 'maybe';

  constructor(code: string, sent: 'no' | 'maybe', message: string) {
    super(`${message} (${code})`);
    this.code = code;
    this.sent = sent;
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Somebody else changed the object since we read it. Read it again; the same write will not do. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason === 'Conflict';
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** The resourceVersion or the continue token is older than what the server remembers. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}

export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

/** What an API server would have called it, for answers of something in between that speaks no Status. */
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
