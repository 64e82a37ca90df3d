import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type CertificateAndKey, createAuthority, issue } from './authority.ts';
import { needsRenewal } from './material.ts';

/** All replicas share one certificate authority. Each replica issues its own certificate and keeps it in memory. */
export interface Authorities {
  current: CertificateAndKey;
  /** PEM of the previous authority, whose certificates may still be served. */
  previous?: string;
}

/** Name and lifetime of a certificate authority. */
export interface AuthorityProfile {
  /** Common name of the authority, such as `trimtab webhook`. */
  commonName: string;
  /** Lifetime of an authority. Clients have its last third to receive the next authority. */
  authorityLifeMs: number;
}

const certificateLifeMs = 30 * 24 * 3_600_000;

/** Returns `stored`, or new authorities when `stored` is missing, damaged or in the last third of its lifetime. */
export function renewedAuthorities(
  stored: Authorities | undefined,
  { commonName, authorityLifeMs }: AuthorityProfile,
  now: number,
): Authorities {
  if (stored !== undefined && !needsRenewal(stored.current.certificate, now)) return stored;
  const current = createAuthority({ commonName, now, validForMs: authorityLifeMs });
  return { current, ...(stored !== undefined && { previous: stored.current.certificate }) };
}

/** The authorities that clients should trust: the current one, and the previous one until it expires. */
export function trustBundle({ current, previous }: Authorities, now: number): string {
  const both = previous === undefined || hasExpired(previous, now) ? [] : [previous];
  return [current.certificate, ...both].join('');
}

export interface CertificateState {
  /** The certificate in use; undefined at startup. */
  served: CertificateAndKey | undefined;
  authorities: Authorities;
  /** The trust bundle that was published before this reconciliation, which clients have received. */
  trusted: string;
  /** DNS names and IP addresses of the server. */
  hosts: readonly string[];
  commonName: string;
  now: number;
}

/**
 * Returns the certificate to serve. While the current certificate is valid, a new authority is used only after its
 * certificate has been published to clients.
 */
export function servedCertificate(situation: CertificateState): CertificateAndKey {
  const { served, authorities, trusted, hosts, commonName, now } = situation;
  if (served !== undefined && !needsRenewal(served.certificate, now)) {
    const isByCurrent = new X509Certificate(served.certificate).verify(
      new X509Certificate(authorities.current.certificate).publicKey,
    );
    if (isByCurrent || !trusted.includes(authorities.current.certificate)) return served;
  }
  return issue(authorities.current, {
    commonName,
    dnsNames: hosts.filter((host) => isIP(host) === 0),
    ipAddresses: hosts.filter((host) => isIP(host) !== 0),
    usages: ['server'],
    now,
    validForMs: certificateLifeMs,
  });
}

const keys = { certificate: 'ca.crt', key: 'ca.key', previous: 'previous-ca.crt' };

/** The `data` of the Secret that stores the authorities. */
export function formatAuthorities({ current, previous }: Authorities): Record<string, string> {
  const encode = (pem: string) => Buffer.from(pem).toString('base64');
  return {
    [keys.certificate]: encode(current.certificate),
    [keys.key]: encode(current.key),
    ...(previous !== undefined && { [keys.previous]: encode(previous) }),
  };
}

/** Returns undefined when the data is unusable. The caller then creates new authorities; only trust is briefly lost. */
export function parseAuthorities(data: Record<string, string> | undefined): Authorities | undefined {
  const decode = (key: string) => Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');
  const current = { certificate: decode(keys.certificate), key: decode(keys.key) };
  const previous = decode(keys.previous);
  try {
    const certificate = new X509Certificate(current.certificate);
    if (!certificate.ca || !certificate.checkPrivateKey(createPrivateKey(current.key))) return undefined;
  } catch {
    return undefined;
  }
  return isCertificate(previous) ? { current, previous } : { current };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

function hasExpired(pem: string, now: number): boolean {
  return Date.parse(new X509Certificate(pem).validTo) <= now;
}
