import { sharedAuthorities } from '@trimtab/kube/authority-store.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { CertificateManager } from '@trimtab/kube/tls/certificate-manager.ts';
import type { Installation } from '../manifests/installation.ts';
import { publishTrust } from './trust-publisher.ts';

export interface WebhookCertificateOptions {
  client: KubeClient;
  installation: Installation;
  /** Host names at which API servers reach the webhook. */
  hosts: readonly string[];
  clock: Clock;
  log: Logger;
}

/**
 * The webhook configuration distributes a new authority to API servers immediately, so authorities are short-lived.
 */
const profile = { commonName: 'trimtab webhook', authorityLifeMs: 365 * 24 * 3_600_000 };

/**
 * Keeps a certificate that API servers trust. Without one, API servers do not call the webhook and the controller
 * assigns versions after admission.
 */
export function webhookCertificate(options: WebhookCertificateOptions): CertificateManager {
  const { client, installation } = options;
  const secret = { namespace: installation.homeNamespace, name: installation.webhookSecret };
  return new CertificateManager({
    ...options,
    commonName: profile.commonName,
    authorities: (now, signal) => sharedAuthorities(client, secret, profile, now, signal),
    publishTrust: (bundle, signal) => publishTrust(client, installation, bundle, signal),
  });
}
