import { badRequest } from '../errors/status-error.ts';
import { isObject } from '../object.ts';
import { goJsonError } from '../schema/go-json-error.ts';

export interface ContinueToken {
  /** Revision of the list, the same on every page; -1 continues with the current objects. */
  revision: number;
  /** Last key of the previous page, without the prefix of the list. */
  after: string;
}

const version = 'meta.k8s.io/v1';

export function encodeToken({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start: `${after}\u0000` })).toString(
    'base64url',
  );
}

export function decodeToken(text: string): ContinueToken {
  const json = /^[A-Za-z0-9_-]*$/.test(text) ? Buffer.from(text, 'base64url').toString('utf8') : undefined;
  if (json === undefined)
    throw refuse(`: illegal base64 data at input byte ${text.search(/[^A-Za-z0-9_-]/)}`);
  const token = parse(json);
  const { v, rv, start } = isObject(token) ? token : {};
  if (v !== version) throw refuse(`: server does not recognize this encoded version ${String(v ?? '')}`);
  if (typeof rv !== 'number' || rv === 0)
    throw refuse(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '')
    throw refuse(': encoded start key empty (version meta.k8s.io/v1)');
  const parts = start.replace(/^\//, '').split('/');
  // A start key outside of the list would expose objects that the caller may not see.
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw refuse(`: ${start}`);
  return { revision: rv, after: start.replace(/^\//, '').split('\u0000')[0] ?? '' };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw refuse(`: ${goJsonError(json)}`);
  }
}

function refuse(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid${why}`);
}
