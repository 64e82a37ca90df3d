import { checkCondition } from '../../cel/check-condition.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../errors/field-error.ts';
import { qualifiedName } from '../../meta/names.ts';
import type { MatchConstraints } from '../match.ts';
import { ruleErrors } from '../rule-errors.ts';
import type { ParamRef, PolicySpec } from './policy-objects.ts';

/** What the expressions of a policy can use. */
export interface Scope {
  withParams: boolean;
  variables: readonly string[];
  withPatches?: boolean;
}

/** Returns the errors of the fields that validating and mutating policies share, before those of the conditions. */
export function matchingErrors({ failurePolicy, matchConstraints }: PolicySpec): FieldError[] {
  const errors: FieldError[] = [];
  if (failurePolicy !== undefined && !['Fail', 'Ignore'].includes(failurePolicy))
    errors.push(notSupported('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']));
  if (matchConstraints === undefined) return [...errors, required('spec.matchConstraints')];
  errors.push(...constraintErrors(matchConstraints, 'spec.matchConstraints'));
  if ((matchConstraints.resourceRules ?? []).length === 0)
    errors.push(required('spec.matchConstraints.resourceRules'));
  return errors;
}

/** Returns the errors of the rules that select resources. */
export function constraintErrors(constraints: MatchConstraints | undefined, path: string): FieldError[] {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = constraints ?? {};
  const of = (rules: typeof resourceRules, field: string) =>
    rules.flatMap((rule, index) => ruleErrors(rule, `${path}.${field}[${index}]`));
  const errors: FieldError[] = [];
  if (matchPolicy !== undefined && !['Equivalent', 'Exact'].includes(matchPolicy))
    errors.push(notSupported(`${path}.matchPolicy`, matchPolicy, ['Equivalent', 'Exact']));
  return [
    ...errors,
    ...of(resourceRules, 'resourceRules'),
    ...of(excludeResourceRules, 'excludeResourceRules'),
  ];
}

export function variableErrors({ paramKind, variables = [] }: PolicySpec): FieldError[] {
  const withParams = paramKind !== undefined;
  return variables.flatMap(({ expression }, index) => {
    const before = variables.slice(0, index).map(({ name }) => name);
    return expressionErrors(expression, `spec.variables[${index}].expression`, {
      withParams,
      variables: before,
    });
  });
}

export function matchConditionErrors({ paramKind, matchConditions = [] }: PolicySpec): FieldError[] {
  const scope = { withParams: paramKind !== undefined, variables: [] };
  const names = new Set<string>();
  return matchConditions.flatMap(({ name, expression }, index) => {
    const path = `spec.matchConditions[${index}]`;
    const errors = expressionErrors(expression.trim(), `${path}.expression`, scope, 'bool', '');
    if (name === '') return [...errors, required(`${path}.name`)];
    errors.push(...qualifiedName(name).map((each) => invalid(`${path}.name`, name, each)));
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    return errors;
  });
}

/** Returns the errors of an expression, which must have the given type if there is one. */
export function expressionErrors(
  expression: string,
  path: string,
  scope: Scope,
  wanted?: string,
  missing = 'expression is not specified',
): FieldError[] {
  if (expression.trim() === '') return [required(path, missing)];
  const { problem, type } = checkCondition(expression, scope);
  if (problem !== undefined) return [invalid(path, expression, `compilation failed: ${problem}`)];
  if (wanted === undefined || type === wanted || (wanted === 'bool' && type === 'dyn')) return [];
  return [invalid(path, expression, `must evaluate to ${wanted} but got ${type}`)];
}

export function paramRefErrors(paramRef: ParamRef | undefined): FieldError[] {
  if (paramRef === undefined) return [];
  const { name = '', selector, parameterNotFoundAction } = paramRef;
  const errors: FieldError[] = [];
  if (name === '' && selector === undefined)
    errors.push(required('spec.paramRef', 'one of name or selector must be specified'));
  else if (name !== '' && selector !== undefined)
    for (const field of ['name', 'selector'])
      errors.push(forbiddenField(`spec.paramRef.${field}`, 'name and selector are mutually exclusive'));
  if (parameterNotFoundAction === undefined) errors.push(required('spec.paramRef.parameterNotFoundAction'));
  return errors;
}
