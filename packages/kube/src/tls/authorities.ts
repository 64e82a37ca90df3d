import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type CertificateAndKey, createAuthority, issue } from './authority.ts';
import { needsRenewal } from './material.ts';

/** All replicas share one authority; each issues its own certificate with it and keeps that in memory. */
export interface Authorities {
  current: CertificateAndKey;
  /** PEM: what signed the certificates that may still be served. */
  previous?: string;
}

/** Whom the certificates are of, and how long those who trust them may go without hearing of a new authority. */
export interface AuthorityProfile {
  /** In every certificate, for people who read them: `trimtab webhook`. */
  commonName: string;
  authorityLifeMs: number;
}

const certificateLifeMs = 30 * 24 * 3_600_000;

/** What should be kept: what there is, or something new when that is missing, damaged or in its last third. */
export function renewedAuthorities(
  stored: Authorities | undefined,
  { commonName, authorityLifeMs }: AuthorityProfile,
  now: number,
): Authorities {
  if (stored !== undefined && !needsRenewal(stored.current.certificate, now)) return stored;
  const current = createAuthority({ commonName, now, validForMs: authorityLifeMs });
  return { current, ...(stored !== undefined && { previous: stored.current.certificate }) };
}

/** The authorities that clients should trust: the new one from its birth, the old one until it expires. */
export function trustBundle({ current, previous }: Authorities, now: number): string {
  const both = previous === undefined || hasExpired(previous, now) ? [] : [previous];
  return [current.certificate, ...both].join('');
}

export interface CertificateSituation {
  /** What is served now; undefined at the start. */
  served: CertificateAndKey | undefined;
  authorities: Authorities;
  /** The bundle that was published before this look: what clients trust by now. */
  trusted: string;
  /** The names by which clients reach us. */
  hosts: readonly string[];
  commonName: string;
  now: number;
}

/**
 * The certificate to serve. A new authority is not used before clients have been told of it, as long as the
 * certificate that is served holds.
 */
export function servedCertificate(situation: CertificateSituation): CertificateAndKey {
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

/** `data` of the Secret that keeps them. */
export function formatAuthorities({ current, previous }: Authorities): Record<string, string> {
  const encode = (pem: string) => Buffer.from(pem).toString('base64');
  return {
    [keys.certificate]: encode(current.certificate),
    [keys.key]: encode(current.key),
    ...(previous !== undefined && { [keys.previous]: encode(previous) }),
  };
}

/** Undefined for what can't be used: it is then made anew, since nothing but trust for a moment is lost. */
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
