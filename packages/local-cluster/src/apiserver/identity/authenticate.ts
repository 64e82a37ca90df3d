import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '../admission/admission.ts';
import { unauthorized } from '../errors/status-error.ts';
import { type Authenticator, bearerToken, hasCertificate } from './authenticator.ts';

/** Who asks. Without any credentials they are anonymous; with a token or a certificate that nobody knows they are refused. */
export async function authenticate(
  incoming: IncomingMessage,
  authenticators: readonly Authenticator[],
): Promise<UserInfo> {
  for (const authenticator of authenticators) {
    const user = await authenticator.authenticate(incoming);
    if (user !== undefined) return { ...user, groups: [...user.groups, 'system:authenticated'] };
  }
  if (bearerToken(incoming) !== undefined || hasCertificate(incoming)) throw unauthorized();
  return { username: 'system:anonymous', groups: ['system:unauthenticated'] };
}
