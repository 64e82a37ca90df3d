import type { KubeObject } from '../../api/wire.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Resource } from '../../kube/resource.ts';
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
  { webhookConfiguration, webhook }: Installation,
  bundle: string,
  signal: AbortSignal,
): Promise<string> {
  const where = { name: webhookConfiguration };
  const found = await client.get<WebhookConfiguration>(mutatingWebhookConfigurations, where, { signal });
  const ours = found.webhooks?.find(({ name }) => name === webhook);
  const before = Buffer.from(ours?.clientConfig.caBundle ?? '', 'base64').toString('utf8');
  if (ours === undefined || before === bundle) return before;
  ours.clientConfig.caBundle = Buffer.from(bundle).toString('base64');
  await client.update(mutatingWebhookConfigurations, found, { signal });
  return before;
}
