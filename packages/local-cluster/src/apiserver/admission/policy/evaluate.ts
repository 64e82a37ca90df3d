import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Authorise } from '../../cel/authorizer.ts';
import { celProblem } from '../../cel/problem.ts';
import { compile } from '../../cel/program.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import { conditionsHold } from './conditions.ts';
import type { ValidatingAdmissionPolicy, Validation } from './policy-objects.ts';
import { type Scope, scopeOf } from './scope.ts';

/** One expression that says no. */
export interface Failure {
  message: string;
  reason: string;
  /** Of the validation; undefined for what denies whatever its binding says. */
  index?: number;
}

export interface Evaluation {
  failures: Failure[];
  /** For the audit log, by the policy's own keys. */
  annotations: [key: string, value: string][];
}

/**
 * What a policy says to a request with one object of its parameters. Expressions that can't be evaluated are a
 * failure or nothing, as its failurePolicy tells.
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
  const variables = lazyVariables(spec.variables ?? [], scope);
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

/** Longer ones are cut, as in Kubernetes. */
const longestAnnotation = 10 * 1024;

function annotation(expression: string, scope: Scope): { value: string; problem?: string } {
  try {
    const value = compile(expression)(scope);
    return { value: typeof value === 'string' ? value.trim().slice(0, longestAnnotation) : '' };
  } catch (error) {
    return { value: '', problem: `expression '${expression}' resulted in error: ${celProblem(error)}` };
  }
}

/** `variables.x` is computed when it is first used: one that nobody needs can't fail. */
function lazyVariables(definitions: readonly { name: string; expression: string }[], scope: Scope): Scope {
  const variables: Record<string, unknown> = Object.create(null);
  const whole = { ...scope, variables };
  for (const { name, expression } of definitions) {
    Object.defineProperty(variables, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = compile(expression)(whole);
        Object.defineProperty(variables, name, { enumerable: true, value });
        return value;
      },
    });
  }
  return whole;
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
    // A message that can't be made is replaced by the plain one.
    return undefined;
  }
}

function refusedBy(policy: 'Fail' | 'Ignore' | undefined, message: string, index?: number): Failure[] {
  if (policy === 'Ignore') return [];
  return [{ message, reason: 'Invalid', ...(index !== undefined && { index }) }];
}
