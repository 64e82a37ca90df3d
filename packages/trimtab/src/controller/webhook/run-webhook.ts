import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { certificateMetrics } from '@trimtab/kube/tls/certificate-metrics.ts';
import { type Installation, webhookServiceName } from '../manifests/installation.ts';
import type { AdmissionLookup } from './admission-lookup.ts';
import type { EnsureFirstVersion, UnknownVersions } from './admit-workload.ts';
import type { JoinWorkload } from './join-workload.ts';
import { webhookCertificate } from './webhook-certificate.ts';
import { startWebhookServer, type WebhookServerOptions } from './webhook-server.ts';

export interface WebhookOptions {
  client: KubeClient;
  installation: Installation;
  /** Address to listen on. */
  host: string;
  port: number;
  /** Flag that sets the port, named in the error when the port is in use. */
  portFlag?: string;
  /** URL at which API servers reach the webhook, as in `trimtab manifests`; optional, defaults to the Service. */
  webhookUrl?: string;
  lookup: (namespace: string) => AdmissionLookup;
  ensureFirstVersion: EnsureFirstVersion;
  joinWorkload: JoinWorkload;
  unknownVersions: UnknownVersions;
  mountableSecrets: WebhookServerOptions['mountableSecrets'];
  isInSync: WebhookServerOptions['isInSync'];
  clock: Clock;
  log: Logger;
  metrics?: Registry;
  pods?: NonNullable<WebhookServerOptions['pods']>;
}

/** Shorter than timeoutSeconds of the webhook configuration, so the webhook itself handles its timeouts. */
const timeoutMs = 2_500;
const graceMs = 3_000;

/**
 * Serves the webhook until `signal` aborts. Every replica runs it, not only the leader. Throws only when the port
 * cannot be opened. While the API server is unreachable, it waits for its certificate.
 */
export async function runWebhook(options: WebhookOptions, signal: AbortSignal): Promise<void> {
  const log = options.log.child({ part: 'webhook' });
  const stop = new AbortController();
  const bothEnd = AbortSignal.any([signal, stop.signal]);
  const hosts = hostsOf(options.webhookUrl, options.installation);
  const certificates = webhookCertificate({ ...options, log, hosts });
  const keeping = certificates.run(bothEnd);
  try {
    const material = await certificates.material().catch(() => undefined);
    if (material === undefined) return;
    if (options.metrics !== undefined) certificateMetrics(options.metrics, 'webhook', material);
    const server = await startWebhookServer({ ...options, log, material, timeoutMs });
    await keeping;
    await server.close(graceMs);
  } finally {
    stop.abort();
    await keeping;
  }
}

/** Host names for which API servers verify the certificate. */
function hostsOf(webhookUrl: string | undefined, { homeNamespace }: Installation): string[] {
  if (webhookUrl !== undefined) return [new URL(webhookUrl).hostname.replace(/^\[(.*)\]$/, '$1')];
  const service = `${webhookServiceName}.${homeNamespace}.svc`;
  return [service, `${service}.cluster.local`];
}
