import { bearerToken, isPodToken } from './pod-token.ts';
import type { Principal } from './principal.ts';

/**
 * One spelling for all values of `Authorization` that authenticate the same caller, as the key for limits and caches. A
 * caller could otherwise get the share of any number of callers. A value without a token stays as it is.
 */
export function canonicalCredential(authorization: string): string {
  const token = readToken(authorization) ?? podToken(authorization);
  return token === undefined ? authorization : `Bearer ${canonicalToken(token)}`;
}

/** A principal with the canonical credential. The API server is sent the one of the caller. */
export function canonicalPrincipal(principal: Principal): Principal {
  const authorization = principal.is === 'bearer' ? principal.headers['authorization'] : undefined;
  if (principal.is !== 'bearer' || authorization === undefined) return principal;
  return {
    ...principal,
    headers: { ...principal.headers, authorization: canonicalCredential(authorization) },
  };
}

/**
 * The token that the API server reads from `Authorization`: the second word, whatever follows it. Undefined when it reads
 * none, as with two spaces before the token.
 */
export function readToken(authorization: string): string | undefined {
  const [scheme = '', token = ''] = withoutSpaceAround(authorization).split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** The gateway itself reads the token of a pod, and allows more than one space before it. */
function podToken(authorization: string): string | undefined {
  const token = bearerToken(authorization);
  return token !== undefined && isPodToken(token) ? token : undefined;
}

/** The last character of a JWT's signature has bits that decoders ignore, so the token has up to 16 spellings. */
export function canonicalToken(token: string): string {
  const [header, claims, signature, ...more] = token.split('.');
  if (signature === undefined || more.length > 0) return token;
  const canonical = Buffer.from(signature, 'base64url').toString('base64url');
  // The length differs when the signature is no base64url at all.
  return canonical.length === signature.length ? `${header}.${claims}.${canonical}` : token;
}

/** The UTF-8 bytes of the white space that Go removes. Node reads the bytes of a header as Latin-1. */
const space = [
  ...[...'\t\n\v\f\r '],
  ...['\xc2\x85', '\xc2\xa0', '\xe1\x9a\x80', '\xe2\x81\x9f', '\xe3\x80\x80'],
  ...[...'\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\xa8\xa9\xaf'].map((last) => `\xe2\x80${last}`),
];
const longestSpace = 3;

/** A pattern for the space at the end would try each space of the value as its beginning. */
function withoutSpaceAround(value: string): string {
  const before = (end: number) => value.slice(Math.max(0, end - longestSpace), end);
  let start = 0;
  for (let length = 1; length > 0; start += length)
    length = lengthOfSpace((each) => value.startsWith(each, start));
  let end = value.length;
  for (let length = 1; length > 0; end -= length)
    length = lengthOfSpace((each) => before(end).endsWith(each));
  return value.slice(start, Math.max(start, end));
}

function lengthOfSpace(isThere: (space: string) => boolean): number {
  return space.find(isThere)?.length ?? 0;
}
