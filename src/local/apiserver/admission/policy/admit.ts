import type { KubeObject } from '../../../../api/wire.ts';
import type { Authorise } from '../../cel/authorizer.ts';
import { labelsMatch } from '../../selector/object-selector.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import { constraintsMatch } from '../match.ts';
import { evaluatePolicy, type Failure } from './evaluate.ts';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from './policy-objects.ts';

/** The policies of a cluster, and the objects that they may take as parameters. */
export interface PolicySource {
  policies(): Iterable<ValidatingAdmissionPolicy>;
  bindings(): Iterable<ValidatingAdmissionPolicyBinding>;
  /** All objects of a kind, of one namespace where it has such; undefined for a kind that nobody serves. */
  parameters(apiVersion: string, kind: string, namespace: string): Iterable<KubeObject> | undefined;
}

export interface Admitted {
  /** The first that says no; it is answered with its reason's code. */
  denied: Failure | undefined;
  warnings: string[];
}

/** Puts a request to all policies that are about it. */
export function admitByPolicies(
  source: PolicySource,
  request: AdmissionRequest,
  authorise: Authorise,
): Admitted {
  const policies = new Map([...source.policies()].map((policy) => [policy.metadata.name ?? '', policy]));
  const admitted: Admitted = { denied: undefined, warnings: [] };
  for (const binding of source.bindings()) {
    const policy = policies.get(binding.spec.policyName);
    if (policy === undefined || !constraintsMatch(policy.spec.matchConstraints ?? {}, request)) continue;
    if (!constraintsMatch(binding.spec.matchResources ?? {}, request)) continue;
    for (const failure of failuresOf(source, policy, binding, request, authorise)) {
      const actions = binding.spec.validationActions ?? [];
      const [policyName, bindingName] = [policy.metadata.name, binding.metadata.name];
      if (actions.includes('Warn'))
        admitted.warnings.push(
          `Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}': ${failure.message}`,
        );
      if (actions.includes('Deny'))
        admitted.denied ??= {
          reason: failure.reason,
          message: `ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}' denied request: ${failure.message}`,
        };
    }
  }
  return admitted;
}

function failuresOf(
  source: PolicySource,
  policy: ValidatingAdmissionPolicy,
  binding: ValidatingAdmissionPolicyBinding,
  request: AdmissionRequest,
  authorise: Authorise,
): Failure[] {
  const { paramKind } = policy.spec;
  const { paramRef } = binding.spec;
  if (paramKind === undefined || paramRef === undefined)
    return evaluatePolicy(policy, request, undefined, authorise);
  const { name, namespace = request.namespace, selector = {}, parameterNotFoundAction = 'Deny' } = paramRef;
  const all = source.parameters(paramKind.apiVersion, paramKind.kind, namespace);
  const chosen = [...(all ?? [])].filter(({ metadata }) =>
    name === undefined ? labelsMatch(selector, metadata.labels ?? {}) : metadata.name === name,
  );
  if (chosen.length > 0)
    return chosen.flatMap((params) => evaluatePolicy(policy, request, params, authorise));
  if (all !== undefined && parameterNotFoundAction === 'Allow') return [];
  if (policy.spec.failurePolicy === 'Ignore') return [];
  return [
    {
      reason: 'Invalid',
      message:
        'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    },
  ];
}
