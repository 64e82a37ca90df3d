import { type Clock, systemClock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import type { CredentialSource } from './credential-source.ts';
import { RotatingFile } from './rotating-file.ts';

/**
 * Maximum age of a cached token. A new token is written long before the old one expires, and a 401 response
 * invalidates the cache immediately.
 */
const maxAgeMs = 10_000;

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export function tokenFile(path: string, clock: Clock = systemClock): CredentialSource {
  const file = new RotatingFile(path, maxAgeMs, clock);
  return {
    async current() {
      const content = await file.read().catch((cause: unknown) => {
        throw new OperationalError(errors.CredentialsUnavailable, `The token file ${path} cannot be read.`, {
          cause,
        });
      });
      const token = content.toString('utf8').trim();
      if (token === '')
        throw new OperationalError(errors.CredentialsUnavailable, `The token file ${path} is empty.`);
      return { headers: bearer(token) };
    },
    invalidate: () => file.expire(),
  };
}
