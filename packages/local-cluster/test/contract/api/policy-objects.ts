import type { Target } from './target.ts';
import { groupOf } from './widgets.ts';

const admission = 'admissionregistration.k8s.io/v1';

export const policies = `/apis/${admission}/validatingadmissionpolicies`;

export const bindings = `/apis/${admission}/validatingadmissionpolicybindings`;

export interface Policy {
  spec: { paramKind?: object; [field: string]: unknown };
  binding?: object;
}

export const configMapRules = (...operations: string[]) => [
  { apiGroups: [''], apiVersions: ['v1'], operations, resources: ['configmaps'] },
];

export function policy(
  target: Target,
  name: string,
  { paramKind, ...spec }: { paramKind?: object; [field: string]: unknown },
) {
  const params =
    paramKind === undefined ? {} : { paramKind: { apiVersion: `${groupOf(target)}/v1`, ...paramKind } };
  return {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: `${target.namespace}-${name}` },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: configMapRules('CREATE', 'UPDATE') },
      ...params,
      ...spec,
    },
  };
}

export function binding(target: Target, name: string, more: object = {}) {
  return {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${target.namespace}-${name}` },
    spec: {
      policyName: `${target.namespace}-${name}`,
      validationActions: ['Deny'],
      matchResources: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': target.namespace } },
        objectSelector: { matchLabels: { policy: name } },
      },
      ...more,
    },
  };
}
