import { type Clock, systemClock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import type { CredentialSource } from './credential-source.ts';
import { RotatingFile } from './rotating-file.ts';

/** A rotated token is valid long before the old one ends, and a refused one is read again at once. */
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
