import type { Authorise } from '../../cel/authorizer.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import { evaluatePolicy, type Failure } from './evaluate.ts';
import { invocationsOf, type PolicySource } from './invocations.ts';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from './policy-objects.ts';

export type ValidatingPolicySource = PolicySource<
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding
>;

export interface Admitted {
  /** First failure that denies the request; its reason determines the response code. */
  denied: Failure | undefined;
  warnings: string[];
  /** Annotations of the audit event. */
  annotations: Record<string, string>;
}

/** Evaluates all policies that match a request. */
export function admitByPolicies(
  source: ValidatingPolicySource,
  request: AdmissionRequest,
  authorise: Authorise,
): Admitted {
  const admitted: Admitted = { denied: undefined, warnings: [], annotations: {} };
  for (const each of invocationsOf(source, request)) {
    const { policy, binding } = each;
    if ('problem' in each) {
      if (policy.spec.failurePolicy !== 'Ignore')
        act(admitted, policy, binding, { reason: 'Invalid', message: each.problem });
      continue;
    }
    const { failures, annotations } = evaluatePolicy(policy, each.request, each.params, authorise);
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
  bound: ValidatingAdmissionPolicyBinding | undefined,
  { message, reason, index }: Failure,
): void {
  const { validationActions = [] } = bound?.spec ?? {};
  const binding = bound?.metadata.name;
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  if (index === undefined || validationActions.includes('Deny'))
    admitted.denied ??= {
      reason,
      message: `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`,
    };
  if (index === undefined) return;
  if (validationActions.includes('Warn'))
    admitted.warnings.push(`Validation failed for ValidatingAdmissionPolicy '${policy}'${by}: ${message}`);
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
