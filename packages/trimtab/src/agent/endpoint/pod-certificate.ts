import { X509Certificate } from 'node:crypto';
import { type CertificateAndKey, createAuthority, issue } from '@trimtab/kube/tls/authority.ts';
import { checkMaterial, needsRenewal } from '@trimtab/kube/tls/material.ts';

/** The certificate of the in-pod endpoint. The key of its authority is not kept, so it signs nothing else. */
export interface PodCertificate extends CertificateAndKey {
  /** The certificate that clients trust, as PEM. */
  authority: string;
}

/** Longer than a pod lives: the containers of a pod read the authority once. */
const validForMs = 10 * 365 * 86_400_000;
const loopback = { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1', '::1'] };

export function createPodCertificate(podIps: readonly string[], now: number): PodCertificate {
  const authority = createAuthority({ commonName: 'trimtab in-pod endpoint CA', now, validForMs });
  const leaf = issue(authority, {
    commonName: 'trimtab in-pod endpoint',
    dnsNames: loopback.dnsNames,
    ipAddresses: [...new Set([...podIps, ...loopback.ipAddresses])],
    usages: ['server'],
    now,
    validForMs,
  });
  return { ...leaf, authority: authority.certificate };
}

/** Returns false when the parts do not belong together, when an IP of the pod is missing, or near the expiry. */
export function isUsable(pod: PodCertificate, podIps: readonly string[], now: number): boolean {
  try {
    checkMaterial(pod, { certificate: 'the certificate', key: 'the key' }, now);
    const [leaf, authority] = [new X509Certificate(pod.certificate), new X509Certificate(pod.authority)];
    const isIssued = leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
    const hasStarted = Date.parse(leaf.validFrom) <= now;
    const servesAll = [...podIps, ...loopback.ipAddresses].every((ip) => leaf.checkIP(ip) !== undefined);
    return isIssued && hasStarted && servesAll && !needsRenewal(pod.certificate, now);
  } catch {
    return false;
  }
}

/** All parts are one text, so that one rename replaces them together. */
export function toPem({ key, certificate, authority }: PodCertificate): string {
  return key + certificate + authority;
}

/** Returns undefined when the text is not one of `toPem`. */
export function fromPem(text: string): PodCertificate | undefined {
  const blocks = text.match(/-----BEGIN ([A-Z ]+)-----\n[A-Za-z0-9+/=\n]+-----END \1-----\n/g) ?? [];
  const [key, certificate, authority] = blocks;
  if (key === undefined || certificate === undefined || authority === undefined) return undefined;
  return blocks.join('') === text ? { key, certificate, authority } : undefined;
}
