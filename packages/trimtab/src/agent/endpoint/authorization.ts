import { createHash, timingSafeEqual } from 'node:crypto';
import { RequestError } from './request-error.ts';

/** Returns a function that throws a RequestError 401 unless the header holds the token, with or without `Bearer`. */
export function authorizer(token: string): (header: string | undefined) => void {
  const expected = digest(token);
  return (header) => {
    if (header === undefined || header === '')
      throw unauthorized('The request has no token: send the header "Authorization: Bearer <token>"');
    const presented = header.replace(/^bearer +/i, '');
    // Digests have equal lengths, and their comparison takes the same time for every token.
    if (!timingSafeEqual(digest(presented), expected))
      throw unauthorized('The token in the header "Authorization" is not the token of this pod');
  };
}

function unauthorized(problem: string): RequestError {
  return new RequestError(
    401,
    `${problem}. The token is in the file that the environment variable MY_CONFIG_TOKEN_FILE names.`,
    { 'www-authenticate': 'Bearer' },
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
