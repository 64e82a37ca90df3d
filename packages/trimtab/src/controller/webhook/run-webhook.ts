import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { systemNamespace } from '../../api/names.ts';
import { type Installation, webhookServiceName } from '../manifests/installation.ts';
import type { AdmissionLookup } from './admission-lookup.ts';
import type { EnsureFirstVersion } from './admit-workload.ts';
import { webhookCertificate } from './webhook-certificate.ts';
import { startWebhookServer } from './webhook-server.ts';

export interface WebhookOptions {
  client: KubeClient;
  installation: Installation;
  /** Where to listen. */
  host: string;
  port: number;
  /** The flag that sets the port, for the error when it is taken. */
  portFlag?: string;
  /** As in `trimtab manifests`: where API servers reach us, if not through the Service. */
  webhookUrl?: string;
  lookup: (namespace: string) => AdmissionLookup;
  ensureFirstVersion: EnsureFirstVersion;
  clock: Clock;
  log: Logger;
  metrics?: Registry;
}

/** Less than the webhook configuration's own limit, so that a late answer is still ours. */
const timeoutMs = 2_500;
const graceMs = 3_000;

/**
 * Serves the webhook until `signal` aborts. Every replica runs it, leader or not. Rejects only when it can't
 * listen; without API server it waits for its certificate.
 */
export async function runWebhook(options: WebhookOptions, signal: AbortSignal): Promise<void> {
  const log = options.log.child({ part: 'webhook' });
  const stop = new AbortController();
  const bothEnd = AbortSignal.any([signal, stop.signal]);
  const keeper = webhookCertificate({ ...options, log, hosts: hostsOf(options.webhookUrl) });
  const keeping = keeper.run(bothEnd);
  try {
    const material = await keeper.material().catch(() => undefined);
    if (material === undefined) return;
    const server = await startWebhookServer({ ...options, log, material, timeoutMs });
    await keeping;
    await server.close(graceMs);
  } finally {
    stop.abort();
    await keeping;
  }
}

/** The names that API servers check the certificate for. */
function hostsOf(webhookUrl: string | undefined): string[] {
  if (webhookUrl !== undefined) return [new URL(webhookUrl).hostname.replace(/^\[(.*)\]$/, '$1')];
  const service = `${webhookServiceName}.${systemNamespace}.svc`;
  return [service, `${service}.cluster.local`];
}
