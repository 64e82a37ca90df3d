import { expect } from 'vitest';
import type { Answer } from './http.ts';
import type { Target } from './target.ts';

/** The expected content of a refusal. All fields are compared exactly. */
export interface Refusal {
  code: number;
  reason?: string;
  message: string;
  details?: object;
}

/** `field: problem` as in the message; with the reason when it cannot be derived from the text. */
type Cause = string | readonly [reason: string, cause: string];

const reasons: Record<string, string> = {
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
  'Unsupported value': 'FieldValueNotSupported',
  'Duplicate value': 'FieldValueDuplicate',
  'Not found': 'FieldValueNotFound',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
  Forbidden: 'FieldValueForbidden',
};

const groupOf = (resource: string) => resource.split('.').slice(1).join('.');

/** Returns the `details` for a resource such as `deployments.apps`. */
function detailsOf(resource: string, name: string) {
  const [kind] = resource.split('.');
  const group = groupOf(resource);
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind };
}

/** `kind` as in `ConfigMap` or `Deployment.apps`. */
export function invalid(kind: string, name: string, ...causes: Cause[]): Refusal {
  const told = [...new Set(causes.map((cause) => (typeof cause === 'string' ? cause : cause[1])))];
  return {
    code: 422,
    reason: 'Invalid',
    message: `${kind} "${name}" is invalid: ${told.length === 1 ? told[0] : `[${told.join(', ')}]`}`,
    details: { ...detailsOf(kind, name), causes: causes.map(asCause) },
  };
}

function asCause(cause: Cause): object {
  const text = typeof cause === 'string' ? cause : cause[1];
  const [field = '', what = ''] = text.split(': ');
  const reason = typeof cause === 'string' ? reasons[what] : cause[0];
  return { reason, message: text.slice(field.length + 2), field };
}

export function notFound(resource: string, name: string): Refusal {
  const details = detailsOf(resource, name);
  return { code: 404, reason: 'NotFound', message: `${resource} "${name}" not found`, details };
}

export function alreadyExists(resource: string, name: string): Refusal {
  const details = detailsOf(resource, name);
  return { code: 409, reason: 'AlreadyExists', message: `${resource} "${name}" already exists`, details };
}

export function conflict(resource: string, name: string, because: string): Refusal {
  const message = `Operation cannot be fulfilled on ${resource} "${name}": ${because}`;
  return { code: 409, reason: 'Conflict', message, details: detailsOf(resource, name) };
}

export function forbidden(resource: string, name: string, because: string): Refusal {
  const who = name === '' ? resource : `${resource} "${name}"`;
  const message = `${who} is forbidden: ${because}`;
  return { code: 403, reason: 'Forbidden', message, details: detailsOf(resource, name) };
}

export function badRequest(message: string): Refusal {
  return { code: 400, reason: 'BadRequest', message };
}

/** A dependency of the server failed, such as a webhook. */
export function internalError(why: string): Refusal {
  const message = `Internal error occurred: ${why}`;
  return { code: 500, reason: 'InternalError', message, details: { causes: [{ message: why }] } };
}

export const notAllowed: Refusal = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
};

export const noSuchResource: Refusal = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};

export const modified =
  'the object has been modified; please apply your changes to the latest version and try again';

/**
 * Expects the response to be exactly this Status. The area's namespace, which differs in every run, is replaced by
 * NAMESPACE, and every UID by UID.
 */
export function refused(target: Target, answer: Answer, expected: Refusal): void {
  const { code, reason, message, details } = expected;
  expect(withoutChance(target, answer)).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
  expect(answer.code).toBe(code);
}

/** A case that consists of a request and its refusal. */
export const refuses =
  (ask: (target: Target) => Promise<Answer>, expected: Refusal) => async (target: Target) =>
    refused(target, await ask(target), expected);

const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function withoutChance(target: Target, { text }: Answer): unknown {
  const plain = text.replaceAll(target.namespace, 'NAMESPACE').replaceAll(uid, 'UID');
  try {
    return JSON.parse(plain);
  } catch {
    return plain;
  }
}
