import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../admission/policy/policy-objects.ts';
import { validateBinding, validatePolicy } from '../../admission/policy/validate-policy.ts';
import { validateWebhooks } from '../../admission/webhook/validate-configuration.ts';
import type { Webhook, WebhookConfiguration } from '../../admission/webhook/webhook-objects.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

const group = 'admissionregistration.k8s.io';

interface Rule {
  scope?: string;
}

interface MatchResources {
  matchPolicy?: string;
  namespaceSelector?: object;
  objectSelector?: object;
  resourceRules?: Rule[];
  excludeResourceRules?: Rule[];
}

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

function defaultMatch(match: MatchResources): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])])
    rule.scope ??= '*';
}

interface Policy extends ApiObject {
  spec: {
    failurePolicy?: string;
    matchConstraints?: MatchResources;
    validations?: unknown[];
    paramKind?: { apiVersion?: string; kind?: string };
  };
  status: object;
}

interface PolicyBinding extends ApiObject {
  spec: {
    policyName?: string;
    matchResources?: MatchResources;
    paramRef?: { name?: string; namespace?: string };
  };
}

export const mutatingWebhookConfigurations = webhookConfiguration(
  'MutatingWebhookConfiguration',
  'Sqi0GUgDaX0=',
);
export const validatingWebhookConfigurations = webhookConfiguration(
  'ValidatingWebhookConfiguration',
  'B0wHjQmsGNk=',
);

export const validatingAdmissionPolicies = defineKind<Policy>({
  group,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
  categories: ['api-extensions'],
  storageVersionHash: '6OxvlMmQ6is=',
  definition: 'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy',
  hasGeneration: true,
  hasStatus: true,
  unconditionalUpdate: false,
  strategy: {
    nameRule: dnsSubdomain,
    validate: (object) => validatePolicy(object as unknown as ValidatingAdmissionPolicy),
    defaults({ spec }) {
      spec.failurePolicy ??= 'Fail';
      if (spec.matchConstraints !== undefined) defaultMatch(spec.matchConstraints);
    },
    prepareForCreate(object) {
      object.status = {};
    },
  },
  columns: [
    nameColumn,
    { name: 'Validations', type: 'integer', value: ({ spec }) => spec.validations?.length ?? 0 },
    {
      name: 'ParamKind',
      value: ({ spec }) =>
        spec.paramKind ? `${spec.paramKind.apiVersion}/${spec.paramKind.kind}` : '<unset>',
    },
    ageColumn,
  ],
});

export const validatingAdmissionPolicyBindings = defineKind<PolicyBinding>({
  group,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
  categories: ['api-extensions'],
  storageVersionHash: 'v9715VZqakg=',
  definition: 'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  hasGeneration: true,
  unconditionalUpdate: false,
  strategy: {
    nameRule: dnsSubdomain,
    validate: (object) => validateBinding(object as unknown as ValidatingAdmissionPolicyBinding),
    defaults({ spec }) {
      if (spec.matchResources !== undefined) defaultMatch(spec.matchResources);
    },
  },
  columns: [
    nameColumn,
    { name: 'PolicyName', value: ({ spec }) => spec.policyName ?? '' },
    {
      name: 'ParamRef',
      value: ({ spec }) => {
        if (spec.paramRef === undefined) return '<unset>';
        const { namespace, name = '' } = spec.paramRef;
        return namespace ? `${namespace}/${name}` : name || '*';
      },
    },
    ageColumn,
  ],
});
