import type { Target } from './target.ts';
import type { Verdict } from './webhook-server.ts';

export const admission = 'admissionregistration.k8s.io/v1';

export interface Hook {
  type: 'Mutating' | 'Validating';
  verdict: Verdict;
  /** Differences from the default webhook. */
  more?: object;
}

const allOf = [
  {
    apiGroups: ['', 'apps'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['configmaps', 'deployments', 'deployments/scale'],
  },
];

export function configuration(
  target: Target,
  name: string,
  { type, more = {} }: Hook,
  url: string,
  caBundle: string,
) {
  return {
    apiVersion: admission,
    kind: `${type}WebhookConfiguration`,
    metadata: { name: `${target.namespace}-${name}` },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: `${url}/${name}`, caBundle },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 10,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': target.namespace } },
        objectSelector: { matchLabels: { hook: name } },
        rules: allOf,
        ...more,
      },
    ],
  };
}

export const pathOf = (type: Hook['type']) => `/apis/${admission}/${type.toLowerCase()}webhookconfigurations`;
