import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Installation } from '../manifests/installation.ts';

const mutatingWebhookConfigurations: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  namespaced: false,
};

interface WebhookConfiguration extends KubeObject {
  webhooks?: { name: string; clientConfig: { caBundle?: string } }[];
}

/**
 * Writes the CA bundle to the webhook configuration and returns the bundle that API servers trusted before. The
 * configuration itself comes from `trimtab manifests`. Throws on a conflict; the next attempt reads the configuration
 * again.
 */
export async function publishTrust(
  client: KubeClient,
  { webhookConfiguration, webhooks }: Installation,
  bundle: string,
  signal: AbortSignal,
): Promise<string> {
  const where = { name: webhookConfiguration };
  const found = await client.get<WebhookConfiguration>(mutatingWebhookConfigurations, where, { signal });
  const names: string[] = Object.values(webhooks);
  const ours = (found.webhooks ?? []).filter(({ name }) => names.includes(name));
  const wanted = Buffer.from(bundle).toString('base64');
  // All webhooks are written together. A webhook that an upgrade has just added has no bundle yet.
  const before = ours.find(({ clientConfig }) => clientConfig.caBundle)?.clientConfig.caBundle ?? '';
  const trusted = Buffer.from(before, 'base64').toString('utf8');
  if (ours.every(({ clientConfig }) => clientConfig.caBundle === wanted)) return trusted;
  for (const { clientConfig } of ours) clientConfig.caBundle = wanted;
  await client.update(mutatingWebhookConfigurations, found, { signal });
  return trusted;
}
