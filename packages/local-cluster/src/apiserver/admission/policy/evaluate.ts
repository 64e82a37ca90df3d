import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Authorise } from '../../cel/authorizer.ts';
import { celProblem } from '../../cel/problem.ts';
import { compile } from '../../cel/program.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import { conditionsHold } from './conditions.ts';
import type { ValidatingAdmissionPolicy, Validation } from './policy-objects.ts';
import { type Scope, scopeOf } from './scope.ts';
import { withVariables } from './variables.ts';

/** A failed expression of a policy. */
export interface Failure {
  message: string;
  reason: string;
  /** Index of the validation. A failure without index denies the request whatever the binding's actions are. */
  index?: number;
}

export interface Evaluation {
  failures: Failure[];
  /** Annotations of the audit event, by the keys in the policy. */
  annotations: [key: string, value: string][];
}

/**
 * Evaluates a policy for a request with one parameter object. Depending on the failurePolicy, an expression that
 * cannot be evaluated is a failure or is ignored.
 */
export function evaluatePolicy(
  { spec }: ValidatingAdmissionPolicy,
  request: AdmissionRequest,
  params: KubeObject | undefined,
  authorise: Authorise,
): Evaluation {
  const { failurePolicy } = spec;
  const scope = scopeOf(request, params, authorise);
  const conditions = conditionsHold(spec.matchConditions ?? [], scope);
  if (conditions !== true)
    return { failures: conditions === false ? [] : refusedBy(failurePolicy, conditions, 0), annotations: [] };
  const variables = withVariables(spec.variables ?? [], scope);
  const failures = (spec.validations ?? []).flatMap((validation, index) =>
    validate(validation, index, variables, failurePolicy),
  );
  const annotations: Evaluation['annotations'] = [];
  for (const { key, valueExpression } of spec.auditAnnotations ?? []) {
    const { value, problem } = annotation(valueExpression, variables);
    if (problem !== undefined) failures.push(...refusedBy(failurePolicy, problem));
    else if (value !== '') annotations.push([key, value]);
  }
  return { failures, annotations };
}

/** Longer annotations are truncated, as in Kubernetes. */
const longestAnnotation = 10 * 1024;

function annotation(expression: string, scope: Scope): { value: string; problem?: string } {
  try {
    const value = compile(expression)(scope);
    return { value: typeof value === 'string' ? value.trim().slice(0, longestAnnotation) : '' };
  } catch (error) {
    return { value: '', problem: `expression '${expression}' resulted in error: ${celProblem(error)}` };
  }
}

function validate(
  validation: Validation,
  index: number,
  scope: Scope,
  policy: 'Fail' | 'Ignore' | undefined,
): Failure[] {
  const { expression, message, reason = 'Invalid' } = validation;
  try {
    if (compile(expression)(scope) === true) return [];
  } catch (error) {
    return refusedBy(policy, `expression '${expression}' resulted in error: ${celProblem(error)}`, index);
  }
  const text = spoken(validation, scope) ?? message?.trim() ?? `failed expression: ${expression}`;
  return [{ message: text, reason, index }];
}

function spoken({ messageExpression }: Validation, scope: Scope): string | undefined {
  if (messageExpression === undefined) return undefined;
  try {
    const text = compile(messageExpression)(scope);
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text.trim() : undefined;
  } catch {
    // When messageExpression fails, the message of the validation is used.
    return undefined;
  }
}

function refusedBy(policy: 'Fail' | 'Ignore' | undefined, message: string, index?: number): Failure[] {
  if (policy === 'Ignore') return [];
  return [{ message, reason: 'Invalid', ...(index !== undefined && { index }) }];
}
