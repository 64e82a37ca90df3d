import type { Status } from '../wire.ts';
import { ApiError } from './errors.ts';
import type { Answer } from './exchange.ts';

const maxMessageLength = 2_000;

/** Converts a response outside 2xx into an ApiError. The response may be from the API server or from a proxy. */
export function apiErrorOf(answer: Answer, request: string): ApiError {
  const body = statusOf(answer) ?? foreignStatus(answer);
  const retryAfterSeconds = retryAfter(answer, body);
  return new ApiError(answer.status, body, {
    request,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

export function isJson(answer: Answer): boolean {
  return /^application\/(json|.*\+json)/.test(answer.headers['content-type'] ?? '');
}

/** The texts of the Warning headers: `299 - "text"`, where the text may have escaped quotes. */
export function warningsOf({ headers }: Answer): string[] {
  const found = [headers['warning'] ?? []]
    .flat()
    .join(', ')
    .matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...found].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

function statusOf(answer: Answer): Status | undefined {
  if (!isJson(answer)) return undefined;
  try {
    const body: Status = JSON.parse(answer.body.toString('utf8'));
    if (body?.kind !== 'Status') return undefined;
    return typeof body.message === 'string' ? { ...body, message: shortened(body.message) } : body;
  } catch {
    return undefined;
  }
}

/** The message does not contain the body of a proxy's error page, which is long and may repeat parts of the request. */
function foreignStatus(answer: Answer): Status {
  const type = answer.headers['content-type']?.split(';')[0] ?? 'no content type';
  return {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code: answer.status,
    message: `the response (${answer.body.length} bytes of ${type}) is not from a Kubernetes API server`,
  };
}

/** API servers send Retry-After in seconds. An HTTP date, which proxies may send, is ignored. */
function retryAfter(answer: Answer, body: Status): number | undefined {
  const header = answer.headers['retry-after'];
  if (header !== undefined && /^\d+$/.test(header)) return Number(header);
  return body.details?.retryAfterSeconds || undefined;
}

function shortened(text: string): string {
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength)}…`;
}
