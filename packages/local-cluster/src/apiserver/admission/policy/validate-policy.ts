import { checkCondition } from '../../cel/check-condition.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { qualifiedName } from '../../meta/names.ts';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from './policy-objects.ts';
import {
  constraintErrors,
  expressionErrors,
  matchConditionErrors,
  matchingErrors,
  paramRefErrors,
  type Scope,
  variableErrors,
} from './shared-field-errors.ts';

const none = 'validations or auditAnnotations must contain at least one item';
const actions = ['Audit', 'Deny', 'Warn'];
const twice =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

/** Returns the validation errors of a validating policy, with Kubernetes' messages. */
export function validatePolicy({ metadata, spec }: ValidatingAdmissionPolicy): FieldError[] {
  const { validations = [], auditAnnotations = [], variables = [] } = spec;
  const scope = { withParams: spec.paramKind !== undefined, variables: variables.map(({ name }) => name) };
  const errors = [...matchingErrors(spec), ...matchConditionErrors(spec), ...variableErrors(spec)];
  for (const [index, { expression, message }] of validations.entries()) {
    const path = `spec.validations[${index}]`;
    errors.push(...expressionErrors(expression, `${path}.expression`, scope, 'bool'));
    if (message?.trim() === '' && message !== '')
      errors.push(invalid(`${path}.message`, message, 'message must be non-empty if specified'));
    else if (message?.includes('\n'))
      errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  }
  const keys = new Set<string>();
  for (const [index, { key, valueExpression }] of auditAnnotations.entries()) {
    const path = `spec.auditAnnotations[${index}]`;
    const whole = `${metadata.name ?? ''}/${key}`;
    errors.push(...qualifiedName(whole).map((each) => invalid(`${path}.key`, whole, each)));
    errors.push(...valueErrors(valueExpression, `${path}.valueExpression`, scope));
    if (keys.has(key)) errors.push(duplicate(`${path}.key`, key));
    keys.add(key);
  }
  if (validations.length === 0 && auditAnnotations.length === 0)
    errors.push(required('spec.validations', none), required('spec.auditAnnotations', none));
  return errors;
}

/** The value of an audit annotation is a string or null. */
function valueErrors(expression: string, path: string, scope: Scope): FieldError[] {
  if (expression.trim() === '') return [required(path, 'valueExpression is not specified')];
  const { problem, type } = checkCondition(expression, scope);
  if (problem !== undefined) return [invalid(path, expression, `compilation failed: ${problem}`)];
  if (type === 'string' || type === 'null_type') return [];
  return [invalid(path, expression, `must evaluate to one of [string null_type] but got ${type}`)];
}

/** Returns the validation errors of a binding, with Kubernetes' messages. */
export function validateBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const { policyName = '', paramRef, matchResources, validationActions = [] } = spec;
  const errors: FieldError[] = policyName === '' ? [required('spec.policyName')] : [];
  errors.push(...paramRefErrors(paramRef), ...constraintErrors(matchResources, 'spec.matchResources'));
  if (validationActions.length === 0)
    errors.push(required('spec.validationActions', 'at least one validation action is required'));
  for (const [index, each] of validationActions.entries())
    if (!actions.includes(each)) errors.push(notSupported(`spec.validationActions[${index}]`, each, actions));
  if (validationActions.includes('Deny') && validationActions.includes('Warn'))
    errors.push(invalid('spec.validationActions', validationActions, twice));
  return errors;
}
