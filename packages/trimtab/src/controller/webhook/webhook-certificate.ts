import { sharedAuthorities } from '@trimtab/kube/authority-store.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { CertificateKeeper } from '@trimtab/kube/tls/certificate-keeper.ts';
import { systemNamespace } from '../../api/names.ts';
import type { Installation } from '../manifests/installation.ts';
import { publishTrust } from './trust-publisher.ts';

export interface WebhookCertificateOptions {
  client: KubeClient;
  installation: Installation;
  /** The names by which API servers reach us. */
  hosts: readonly string[];
  clock: Clock;
  log: Logger;
}

/** API servers hear of a new authority at once, through the webhook configuration. */
const profile = { commonName: 'trimtab webhook', authorityLifeMs: 365 * 24 * 3_600_000 };

/** A certificate that API servers trust. Without one the webhook is not called, and the controller repairs. */
export function webhookCertificate(options: WebhookCertificateOptions): CertificateKeeper {
  const { client, installation } = options;
  const secret = { namespace: systemNamespace, name: installation.webhookSecret };
  return new CertificateKeeper({
    ...options,
    commonName: profile.commonName,
    authorities: (now, signal) => sharedAuthorities(client, secret, profile, now, signal),
    publishTrust: (bundle, signal) => publishTrust(client, installation, bundle, signal),
  });
}
