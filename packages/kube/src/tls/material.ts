import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { errors, OperationalError } from '../errors.ts';
import type { CertificateAndKey } from './authority.ts';

/** Certificate, key and client authority of a TLS server, as PEM. The certificate may be followed by its chain. */
export interface TlsMaterial extends CertificateAndKey {
  /** The authorities whose client certificates are accepted. */
  clientAuthority?: string;
}

/** Material that may be replaced while a server uses it. */
export interface MaterialSource {
  current(): TlsMaterial;
  /** Calls `listener` after each replacement. Returns a function that removes the listener. */
  onChange(listener: (material: TlsMaterial) => void): () => void;
}

export interface ReplaceableMaterial extends MaterialSource {
  replace(material: TlsMaterial): void;
}

export function createMaterial(initial: TlsMaterial): ReplaceableMaterial {
  let material = initial;
  const listeners = new Set<(material: TlsMaterial) => void>();
  return {
    current: () => material,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replace(next) {
      material = next;
      for (const listener of listeners) listener(next);
    },
  };
}

/**
 * Throws an OperationalError `TlsMaterialUnusable` unless the certificate is readable, has not expired and matches
 * the key. `where` holds the file names for the error message.
 */
export function checkMaterial(
  material: TlsMaterial,
  where: { certificate: string; key: string; clientAuthority?: string },
  now: number,
): void {
  const certificate = readCertificate(material.certificate, where.certificate);
  const key = readKey(material.key, where.key);
  if (Date.parse(certificate.validTo) <= now) {
    throw unusable(`the certificate in ${where.certificate} expired at ${certificate.validTo}`);
  }
  if (!certificate.checkPrivateKey(key)) {
    throw unusable(`the key in ${where.key} does not match the certificate in ${where.certificate}`);
  }
  if (material.clientAuthority !== undefined) {
    readCertificate(material.clientAuthority, where.clientAuthority ?? 'the client authority');
  }
}

/**
 * Returns true after two thirds of a certificate's lifetime. The last third remains for retries of a failed renewal.
 */
export function needsRenewal(certificate: string, now: number): boolean {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const start = Date.parse(validFrom);
  return now >= start + ((Date.parse(validTo) - start) * 2) / 3;
}

function readCertificate(pem: string, where: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw unusable(`${where} contains no PEM certificate`);
  }
}

/** The error contains neither the text nor the parser's message, because both may contain parts of the key. */
function readKey(pem: string, where: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw unusable(`${where} contains no unencrypted PEM private key`);
  }
}

function unusable(problem: string): OperationalError {
  return new OperationalError(
    errors.TlsMaterialUnusable,
    `${problem}. Replace the file; the new file is loaded without a restart.`,
  );
}
