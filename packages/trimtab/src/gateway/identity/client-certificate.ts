import { quoted } from '../../core/messages/quoted.ts';
import { forbidden, unauthorized } from '../answer/status-error.ts';
import type { CertificatePrincipal } from './principal.ts';

/** The client certificate of a TLS connection. */
export interface PresentedCertificate {
  commonName: string | undefined;
  organizations: readonly string[];
  /** Signed by an authority of `--client-ca`, and valid when the connection was opened. */
  isVerified: boolean;
  /** Milliseconds since the epoch. */
  validUntil: number;
}

const systemIsReserved = 'names that start with "system:" are reserved';

/**
 * Returns the principal of a certificate, read as Kubernetes reads it: CN is the user, each O is a group. Names that
 * start with `system:` belong to cluster components and, with `system:masters`, to administrators. Only the cluster's
 * own authority may issue them.
 */
export function certificatePrincipal(shown: PresentedCertificate, now: number): CertificatePrincipal {
  const { commonName = '', organizations, isVerified, validUntil } = shown;
  if (!isVerified) throw unauthorized('the client certificate is not signed by an authority of --client-ca');
  if (validUntil <= now) throw unauthorized('the client certificate has expired');
  if (commonName === '')
    throw unauthorized(
      'the client certificate must have exactly one common name (CN), which is the user name',
    );
  if (commonName.startsWith('system:'))
    throw forbidden(
      `a client certificate for the user ${quoted(commonName)} is not accepted: ${systemIsReserved}`,
    );
  const reserved = organizations.find(
    (group) => group.startsWith('system:') && group !== 'system:authenticated',
  );
  if (reserved !== undefined)
    throw forbidden(
      `a client certificate for the group ${quoted(reserved)} is not accepted: ${systemIsReserved}`,
    );
  const unsendable = [commonName, ...organizations].find(
    (name) => /\p{Cc}/u.test(name) || name !== name.trim(),
  );
  if (unsendable !== undefined)
    throw forbidden(
      `a client certificate with the name ${quoted(unsendable)} is not accepted: names must not contain control characters, or white space at their ends`,
    );
  return { is: 'certificate', user: commonName, groups: organizations.filter((group) => group !== '') };
}
