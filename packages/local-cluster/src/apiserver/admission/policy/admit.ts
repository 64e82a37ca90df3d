import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Authorise } from '../../cel/authorizer.ts';
import { labelsMatch } from '../../selector/object-selector.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import { matched } from '../match.ts';
import { type Evaluation, evaluatePolicy, type Failure } from './evaluate.ts';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from './policy-objects.ts';

/** Policies and bindings of a cluster, and the objects that policies can take as parameters. */
export interface PolicySource {
  policies(): Iterable<ValidatingAdmissionPolicy>;
  bindings(): Iterable<ValidatingAdmissionPolicyBinding>;
  /** All objects of a kind, in one namespace if the kind is namespaced; undefined when the kind is not served. */
  parameters(apiVersion: string, kind: string, namespace: string): Iterable<KubeObject> | undefined;
}

export interface Admitted {
  /** First failure that denies the request; its reason determines the response code. */
  denied: Failure | undefined;
  warnings: string[];
  /** Annotations of the audit event. */
  annotations: Record<string, string>;
}

/** Evaluates all policies that match a request. */
export function admitByPolicies(
  source: PolicySource,
  request: AdmissionRequest,
  authorise: Authorise,
): Admitted {
  const policies = new Map([...source.policies()].map((policy) => [policy.metadata.name ?? '', policy]));
  const admitted: Admitted = { denied: undefined, warnings: [], annotations: {} };
  for (const binding of source.bindings()) {
    const policy = policies.get(binding.spec.policyName);
    if (policy === undefined) continue;
    const question = matched(policy.spec.matchConstraints ?? {}, request);
    if (question === undefined || matched(binding.spec.matchResources ?? {}, request) === undefined) continue;
    const { failures, annotations } = evaluate(source, policy, binding, question, authorise);
    for (const failure of failures) act(admitted, policy, binding, failure);
    for (const [key, value] of annotations)
      note(admitted.annotations, `${policy.metadata.name}/${key}`, value);
  }
  return admitted;
}

const failureKey = 'validation.policy.admission.k8s.io/validation_failure';

function act(
  admitted: Admitted,
  { metadata: { name: policy } }: ValidatingAdmissionPolicy,
  { metadata: { name: binding }, spec }: ValidatingAdmissionPolicyBinding,
  { message, reason, index }: Failure,
): void {
  const { validationActions = [] } = spec;
  if (index === undefined || validationActions.includes('Deny'))
    admitted.denied ??= {
      reason,
      message: `ValidatingAdmissionPolicy '${policy}' with binding '${binding}' denied request: ${message}`,
    };
  if (index === undefined) return;
  if (validationActions.includes('Warn'))
    admitted.warnings.push(
      `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${message}`,
    );
  // The annotation holds the first failure only.
  if (validationActions.includes('Audit'))
    admitted.annotations[failureKey] ??= JSON.stringify([
      { message, policy, binding, expressionIndex: index, validationActions },
    ]);
}

/** Several bindings of one policy can produce the same value or different ones; distinct values are joined. */
function note(annotations: Record<string, string>, key: string, value: string): void {
  const known = annotations[key]?.split(', ') ?? [];
  if (!known.includes(value)) annotations[key] = [...known, value].join(', ');
}

function evaluate(
  source: PolicySource,
  policy: ValidatingAdmissionPolicy,
  binding: ValidatingAdmissionPolicyBinding,
  request: AdmissionRequest,
  authorise: Authorise,
): Evaluation {
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
    return together(chosen.map((params) => evaluatePolicy(policy, request, params, authorise)));
  if (all !== undefined && parameterNotFoundAction === 'Allow') return together([]);
  if (policy.spec.failurePolicy === 'Ignore') return together([]);
  const message =
    'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
  return { failures: [{ reason: 'Invalid', message }], annotations: [] };
}

function together(evaluations: readonly Evaluation[]): Evaluation {
  return {
    failures: evaluations.flatMap(({ failures }) => failures),
    annotations: evaluations.flatMap(({ annotations }) => annotations),
  };
}
