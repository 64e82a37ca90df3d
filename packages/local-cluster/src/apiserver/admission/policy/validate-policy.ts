import { checkCondition } from '../../cel/check-condition.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { qualifiedName } from '../../meta/names.ts';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from './policy-objects.ts';

const none = 'validations or auditAnnotations must contain at least one item';
const actions = ['Audit', 'Deny', 'Warn'];
const twice =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

/** Returns the validation errors of a policy, with Kubernetes' messages. */
export function validatePolicy({ metadata, spec }: ValidatingAdmissionPolicy): FieldError[] {
  const {
    validations = [],
    auditAnnotations = [],
    variables = [],
    matchConditions = [],
    failurePolicy,
  } = spec;
  const errors: FieldError[] = [];
  if (failurePolicy !== undefined && !['Fail', 'Ignore'].includes(failurePolicy))
    errors.push(notSupported('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']));
  if (spec.matchConstraints === undefined) errors.push(required('spec.matchConstraints'));
  else if ((spec.matchConstraints.resourceRules ?? []).length === 0)
    errors.push(required('spec.matchConstraints.resourceRules'));
  const withParams = spec.paramKind !== undefined;
  const check = (expression: string, path: string, known: readonly string[], isCondition = true) =>
    errors.push(...expressionErrors(expression, path, { withParams, variables: known }, isCondition));
  for (const [index, { expression }] of matchConditions.entries())
    check(expression, `spec.matchConditions[${index}].expression`, []);
  for (const [index, { expression }] of variables.entries()) {
    const before = variables.slice(0, index).map(({ name }) => name);
    check(expression, `spec.variables[${index}].expression`, before, false);
  }
  const names = variables.map(({ name }) => name);
  for (const [index, { expression, message }] of validations.entries()) {
    const path = `spec.validations[${index}]`;
    check(expression, `${path}.expression`, names);
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
    errors.push(...valueErrors(valueExpression, `${path}.valueExpression`, { withParams, variables: names }));
    if (keys.has(key)) errors.push(duplicate(`${path}.key`, key));
    keys.add(key);
  }
  if (validations.length === 0 && auditAnnotations.length === 0)
    errors.push(required('spec.validations', none), required('spec.auditAnnotations', none));
  return errors;
}

/** The value of an audit annotation is a string or null. */
function valueErrors(
  expression: string,
  path: string,
  known: { withParams: boolean; variables: readonly string[] },
): FieldError[] {
  if (expression.trim() === '') return [required(path, 'valueExpression is not specified')];
  const { problem, type } = checkCondition(expression, known);
  if (problem !== undefined) return [invalid(path, expression, `compilation failed: ${problem}`)];
  if (type === 'string' || type === 'null') return [];
  return [invalid(path, expression, `must evaluate to one of [string null_type] but got ${type}`)];
}

function expressionErrors(
  expression: string,
  path: string,
  known: { withParams: boolean; variables: readonly string[] },
  isCondition: boolean,
): FieldError[] {
  if (expression.trim() === '') return [required(path, 'expression is not specified')];
  const { problem, type } = checkCondition(expression, known);
  if (problem !== undefined) return [invalid(path, expression, `compilation failed: ${problem}`)];
  if (!isCondition || type === 'bool' || type === 'dyn') return [];
  return [invalid(path, expression, `must evaluate to bool but got ${type}`)];
}

/** Returns the validation errors of a binding, with Kubernetes' messages. */
export function validateBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const { policyName = '', paramRef, validationActions = [] } = spec;
  const errors: FieldError[] = [];
  if (policyName === '') errors.push(required('spec.policyName'));
  if (paramRef !== undefined) {
    const { name = '', selector, parameterNotFoundAction } = paramRef;
    if (name === '' && selector === undefined)
      errors.push(required('spec.paramRef', 'one of name or selector must be specified'));
    else if (name !== '' && selector !== undefined)
      errors.push({
        reason: 'FieldValueForbidden',
        field: 'spec.paramRef.name',
        body: 'Forbidden: name and selector are mutually exclusive',
      });
    if (parameterNotFoundAction === undefined) errors.push(required('spec.paramRef.parameterNotFoundAction'));
  }
  if (validationActions.length === 0)
    errors.push(required('spec.validationActions', 'at least one validation action is required'));
  for (const [index, each] of validationActions.entries())
    if (!actions.includes(each)) errors.push(notSupported(`spec.validationActions[${index}]`, each, actions));
  if (validationActions.includes('Deny') && validationActions.includes('Warn'))
    errors.push(invalid('spec.validationActions', validationActions, twice));
  return errors;
}
