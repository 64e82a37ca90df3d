import type { Status } from '@trimtab/kube/wire.ts';
import type { RequestFault } from './faults.ts';
import type { RequestInfo } from './request-info.ts';

export interface CannedAnswer {
  code: number;
  headers: Record<string, string>;
  body: string;
}

type StatusFault = Extract<RequestFault, { kind: 'status' }>;

/** The response of a real API server in this situation, including its message. */
export function cannedAnswer(fault: StatusFault, request: RequestInfo, bodyName?: string): CannedAnswer {
  const retryAfter: Record<string, string> =
    fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
  if (fault.plain) {
    return {
      code: fault.code,
      headers: { ...retryAfter, 'content-type': 'text/plain; charset=utf-8' },
      body: 'Too many requests, please try again later.\n',
    };
  }
  return {
    code: fault.code,
    headers: { ...retryAfter, 'content-type': 'application/json' },
    body: JSON.stringify(statusFor(fault, request, request.name ?? bodyName ?? '')),
  };
}

/** The last line of a watch whose resourceVersion has expired. */
export function expiredEventLine(): string {
  return JSON.stringify({ type: 'ERROR', object: expired('too old resource version: 1 (2)') });
}

function statusFor(fault: StatusFault, request: RequestInfo, name: string): Status {
  switch (fault.code) {
    case 409:
      return request.verb === 'create' ? alreadyExists(request, name) : conflict(request, name);
    case 410:
      return expired(
        request.verb === 'list'
          ? 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.'
          : 'too old resource version: 1 (2)',
      );
    case 429:
      return failure(429, 'TooManyRequests', 'Too many requests, please try again later.', {
        ...(fault.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: fault.retryAfterSeconds }),
      });
    case 500:
      return failure(500, 'InternalError', 'Internal error occurred: etcdserver: request timed out', {
        causes: [{ message: 'etcdserver: request timed out' }],
      });
    case 503:
      return failure(503, 'ServiceUnavailable', 'the server is currently unable to handle the request');
  }
}

function conflict(request: RequestInfo, name: string): Status {
  const message = `Operation cannot be fulfilled on ${qualified(request)} "${name}": the object has been modified; please apply your changes to the latest version and try again`;
  return failure(409, 'Conflict', message, about(request, name));
}

function alreadyExists(request: RequestInfo, name: string): Status {
  return failure(
    409,
    'AlreadyExists',
    `${qualified(request)} "${name}" already exists`,
    about(request, name),
  );
}

function expired(message: string): Status {
  return failure(410, 'Expired', message);
}

function qualified(request: RequestInfo): string {
  return request.group === '' ? request.resource : `${request.resource}.${request.group}`;
}

function about(request: RequestInfo, name: string): NonNullable<Status['details']> {
  return { name, ...(request.group === '' ? {} : { group: request.group }), kind: request.resource };
}

function failure(code: number, reason: string, message: string, details?: Status['details']): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  };
}
