import type { ResourceQuota, ScopeRequirement } from '../../../quotas/quota-object.ts';
import { type FieldError, invalid, required } from '../../errors/field-error.ts';
import { isStandardQuotaName } from './resource-names.ts';

type Spec = ResourceQuota['spec'];

const plain = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];
const known = [...plain, 'PriorityClass', 'VolumeAttributesClass'];
const computed = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];

/** Whether a resource can be counted in a scope. Unknown scopes pass here; they are reported separately. */
function isCountedIn(scope: string, name: string): boolean {
  if (scope === 'BestEffort') return name === 'pods';
  if (scope === 'VolumeAttributesClass') return ['persistentvolumeclaims', 'requests.storage'].includes(name);
  return !known.includes(scope) || name === 'pods' || computed.includes(name);
}

const misplaced = ({ hard = {} }: Spec, scope: string) =>
  Object.keys(hard).filter((name) => isStandardQuotaName(name) && !isCountedIn(scope, name));

const contradictions = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

function conflicts(scopes: readonly string[], path: string, shown: unknown): FieldError[] {
  return contradictions
    .filter((pair) => pair.every((each) => scopes.includes(each)))
    .map(() => invalid(path, shown, 'conflicting scopes'));
}

export function validateScopes(spec: Spec): FieldError[] {
  const { scopes = [] } = spec;
  const path = 'spec.scopes';
  const errors = scopes.flatMap((scope) => [
    ...(known.includes(scope) ? [] : [invalid(path, scopes, 'unsupported scope')]),
    ...misplaced(spec, scope).map(() => invalid(path, scopes, 'unsupported scope applied to resource')),
  ]);
  return [...errors, ...conflicts(scopes, path, scopes)];
}

export function validateScopeSelector(spec: Spec): FieldError[] {
  const { matchExpressions: expressions = [] } = spec.scopeSelector ?? {};
  const path = 'spec.scopeSelector.matchExpressions';
  const errors = expressions.flatMap((expression) => [
    ...(known.includes(expression.scopeName)
      ? []
      : [invalid(`${path}.scopeName`, expression.scopeName, 'unsupported scope')]),
    ...misplaced(spec, expression.scopeName).map(() =>
      invalid(path, asInGo(expressions), 'unsupported scope applied to resource'),
    ),
    ...validateOperator(expression, path),
  ]);
  const names = expressions.map(({ scopeName }) => scopeName);
  return [...errors, ...conflicts(names, path, spec.scopes)];
}

function validateOperator(
  { scopeName, operator, values = [] }: ScopeRequirement,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (plain.includes(scopeName) && operator !== 'Exists')
    errors.push(
      invalid(
        `${path}.operator`,
        operator,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      ),
    );
  if (['In', 'NotIn'].includes(operator)) {
    if (values.length === 0)
      errors.push(
        required(
          `${path}.values`,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      );
  } else if (['Exists', 'DoesNotExist'].includes(operator)) {
    if (values.length > 0)
      errors.push(
        invalid(
          `${path}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      );
  } else errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  return errors;
}

/** The message shows the value as Go prints its struct. */
function asInGo(expressions: readonly ScopeRequirement[]): object {
  return {
    MatchExpressions: expressions.map(({ scopeName, operator, values }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values ?? null,
    })),
  };
}
