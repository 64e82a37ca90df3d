import { forbidden, unauthorized } from '../answer/status-error.ts';
import type { CertificatePrincipal } from './principal.ts';

/** What a TLS connection tells about the client's certificate. */
export interface ShownCertificate {
  commonName: string | undefined;
  organizations: readonly string[];
  /** Signed by an authority of `--client-ca`, and valid when the connection was opened. */
  isVerified: boolean;
  /** Milliseconds since the epoch. */
  validUntil: number;
}

/**
 * Who a certificate says it is, as Kubernetes reads it: CN is the user, each O a group. Names of `system:` belong to
 * the cluster's own parts (a group of them is the administrator's): no authority but the cluster's may give them out.
 */
export function certificatePrincipal(shown: ShownCertificate, now: number): CertificatePrincipal {
  const { commonName = '', organizations, isVerified, validUntil } = shown;
  if (!isVerified) throw unauthorized('your client certificate is not of an authority of --client-ca');
  if (validUntil <= now) throw unauthorized('your client certificate has expired');
  if (commonName === '') throw unauthorized('your client certificate has no common name (CN), so no user');
  if (commonName.startsWith('system:'))
    throw forbidden(`client certificates here can't be for the user ${JSON.stringify(commonName)}`);
  const reserved = organizations.find(
    (group) => group.startsWith('system:') && group !== 'system:authenticated',
  );
  if (reserved !== undefined)
    throw forbidden(`client certificates here can't be for the group ${JSON.stringify(reserved)}`);
  return { is: 'certificate', user: commonName, groups: organizations.filter((group) => group !== '') };
}
