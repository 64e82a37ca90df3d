/** An error response of the endpoint. The message becomes the body `{ "message": … }`. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export function badRequest(message: string): RequestError {
  return new RequestError(400, message);
}

export function tooManyRequests(message: string, retryAfterMs: number): RequestError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new RequestError(429, `${message}; retry after ${seconds} s`, { 'retry-after': String(seconds) });
}

export function unavailable(message: string): RequestError {
  return new RequestError(503, message, { 'retry-after': '1' });
}
