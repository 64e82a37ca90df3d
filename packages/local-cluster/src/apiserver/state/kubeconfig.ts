import type { CertificateAndKey } from '@trimtab/kube/tls/authority.ts';
import { stringify } from 'yaml';

export interface KubeconfigParts {
  server: string;
  /** PEM certificate. */
  authority: string;
  user: string;
  certificate: CertificateAndKey;
}

/** Returns a kubeconfig with embedded certificates and key. */
export function kubeconfigText({ server, authority, user, certificate }: KubeconfigParts): string {
  const name = 'local-cluster';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name: user,
        user: {
          'client-certificate-data': base64(certificate.certificate),
          'client-key-data': base64(certificate.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
    'current-context': name,
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
