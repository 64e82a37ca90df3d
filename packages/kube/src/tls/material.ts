import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { errors, OperationalError } from '../errors.ts';
import type { CertificateAndKey } from './authority.ts';

/** What a TLS server shows and trusts, as PEM. The certificate may be followed by its chain. */
export interface TlsMaterial extends CertificateAndKey {
  /** Whose client certificates are accepted. */
  clientAuthority?: string;
}

/** Material that may be replaced while a server uses it. */
export interface MaterialSource {
  current(): TlsMaterial;
  /** Calls back after each replacement; the answer ends that. */
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
 * Throws a OperationalError TlsMaterialUnusable unless the certificate can be read, has not expired and belongs to the
 * key. `where` names the files for the message.
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
    throw unusable(`the key in ${where.key} does not belong to the certificate in ${where.certificate}`);
  }
  if (material.clientAuthority !== undefined) {
    readCertificate(material.clientAuthority, where.clientAuthority ?? 'the client authority');
  }
}

/** True from two thirds of a certificate's lifetime on, which leaves a third of it for a renewal that fails at first. */
export function needsRenewal(certificate: string, now: number): boolean {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const start = Date.parse(validFrom);
  return now >= start + ((Date.parse(validTo) - start) * 2) / 3;
}

function readCertificate(pem: string, where: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw unusable(`there is no PEM certificate in ${where}`);
  }
}

/** Neither the text nor the parser's own error goes into the message: they could hold parts of the key. */
function readKey(pem: string, where: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw unusable(`there is no PEM private key without a passphrase in ${where}`);
  }
}

function unusable(problem: string): OperationalError {
  return new OperationalError(
    errors.TlsMaterialUnusable,
    `${problem}. Replace it; the new one is picked up by itself.`,
  );
}
