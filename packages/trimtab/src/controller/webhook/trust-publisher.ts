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
 * Tells API servers whom to trust, and answers what they trusted before. The configuration itself comes from
 * `trimtab manifests`; a conflict is thrown, and the next look sees what won.
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
  // They are always written together; one that an upgrade has just added trusts nobody yet.
  const before = ours.find(({ clientConfig }) => clientConfig.caBundle)?.clientConfig.caBundle ?? '';
  const trusted = Buffer.from(before, 'base64').toString('utf8');
  if (ours.every(({ clientConfig }) => clientConfig.caBundle === wanted)) return trusted;
  for (const { clientConfig } of ours) clientConfig.caBundle = wanted;
  await client.update(mutatingWebhookConfigurations, found, { signal });
  return trusted;
}
