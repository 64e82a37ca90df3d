import { createAuthority, issue } from '@trimtab/kube/tls/authority.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A certificate for 127.0.0.1 and its CA, both valid for a day. */
export function serverCertificate(): { authority: string; cert: string; key: string } {
  const validity = { now: Date.now(), validForMs: dayMs };
  const authority = createAuthority({ commonName: 'fault proxy authority', ...validity });
  const leaf = issue(authority, {
    commonName: 'fault proxy',
    ipAddresses: ['127.0.0.1'],
    usages: ['server'],
    ...validity,
  });
  return { authority: authority.certificate, cert: leaf.certificate, key: leaf.key };
}
