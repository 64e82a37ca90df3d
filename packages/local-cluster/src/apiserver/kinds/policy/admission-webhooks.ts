import { validateWebhooks } from '../../admission/webhook/validate-configuration.ts';
import type { Webhook, WebhookConfiguration } from '../../admission/webhook/webhook-objects.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

const group = 'admissionregistration.k8s.io';

function webhookConfiguration(kind: string, hash: string) {
  return defineKind<WebhookConfiguration>({
    group,
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: false,
    categories: ['api-extensions'],
    storageVersionHash: hash,
    definition: `io.k8s.api.admissionregistration.v1.${kind}`,
    hasGeneration: true,
    unconditionalUpdate: false,
    strategy: {
      nameRule: dnsSubdomain,
      defaults({ webhooks = [] }) {
        for (const webhook of webhooks) {
          defaultWebhook(webhook);
          if (kind.startsWith('Mutating')) webhook.reinvocationPolicy ??= 'Never';
        }
      },
      validate: validateWebhooks,
    },
    columns: [
      nameColumn,
      { name: 'Webhooks', type: 'integer', value: ({ webhooks = [] }) => webhooks.length },
      ageColumn,
    ],
  });
}

function defaultWebhook(webhook: Webhook): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  if (webhook.clientConfig.service !== undefined) webhook.clientConfig.service.port ??= 443;
  for (const rule of webhook.rules ?? []) rule.scope ??= '*';
}

export const mutatingWebhookConfigurations = webhookConfiguration(
  'MutatingWebhookConfiguration',
  'Sqi0GUgDaX0=',
);
export const validatingWebhookConfigurations = webhookConfiguration(
  'ValidatingWebhookConfiguration',
  'B0wHjQmsGNk=',
);
