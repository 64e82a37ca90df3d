import { type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import type { MatchConstraints } from '../match.ts';
import type { MutatingAdmissionPolicy, Mutation, PolicyBinding } from './policy-objects.ts';
import {
  constraintErrors,
  expressionErrors,
  matchConditionErrors,
  matchingErrors,
  paramRefErrors,
  type Scope,
  variableErrors,
} from './shared-field-errors.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const reinvocations = ['IfNeeded', 'Never'];

/** The field of each patch type, and the type that its expression must have. */
const patchTypes = {
  JSONPatch: { field: 'jsonPatch', wanted: 'list(JSONPatch)' },
  ApplyConfiguration: { field: 'applyConfiguration', wanted: 'Object' },
} as const;

/** Returns the validation errors of a mutating policy, with Kubernetes' messages. */
export function validateMutatingPolicy({ spec }: MutatingAdmissionPolicy): FieldError[] {
  const { mutations = [], variables = [], paramKind, reinvocationPolicy = '' } = spec;
  const scope = {
    withParams: paramKind !== undefined,
    variables: variables.map(({ name }) => name),
    withPatches: true,
  };
  const errors = [
    ...matchingErrors(spec),
    ...operationErrors(spec.matchConstraints, 'spec.matchConstraints'),
    ...matchConditionErrors(spec),
    ...variableErrors(spec),
  ];
  if (mutations.length === 0)
    errors.push(required('spec.mutations', 'mutations must contain at least one item'));
  for (const [index, mutation] of mutations.entries())
    errors.push(...mutationErrors(mutation, `spec.mutations[${index}]`, scope));
  if (reinvocationPolicy === '') errors.push(required('spec.reinvocationPolicy'));
  else if (!reinvocations.includes(reinvocationPolicy))
    errors.push(notSupported('spec.reinvocationPolicy', reinvocationPolicy, reinvocations));
  return errors;
}

/** A deletion has no object that could be changed. */
function operationErrors(constraints: MatchConstraints | undefined, path: string): FieldError[] {
  const all = (constraints?.resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
  return all
    .filter((each) => !operations.includes(each))
    .map((each) => notSupported(`${path}.resourceRules.operations`, each, operations));
}

function mutationErrors(mutation: Mutation, path: string, scope: Scope): FieldError[] {
  const { patchType } = mutation;
  if ((patchType as string) === '') return [required(`${path}.patchType`)];
  if (!Object.hasOwn(patchTypes, patchType))
    return [notSupported(`${path}.patchType`, patchType, ['ApplyConfiguration', 'JSONPatch'])];
  const { field, wanted } = patchTypes[patchType];
  const other = field === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
  const given = mutation[field];
  const errors =
    given === undefined
      ? [required(`${path}.${field}`, `must be specified when patchType is ${patchType}`)]
      : expressionErrors((given.expression ?? '').trim(), `${path}.${field}.expression`, scope, wanted, '');
  if (mutation[other] !== undefined)
    errors.push(
      invalid(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`),
    );
  return errors;
}

/** Returns the validation errors of a binding of a mutating policy, with Kubernetes' messages. */
export function validateMutatingBinding({ spec }: PolicyBinding): FieldError[] {
  const { policyName = '', paramRef, matchResources } = spec;
  const ofName =
    policyName === ''
      ? [required('spec.policyName')]
      : dnsSubdomain(policyName).map((each) => invalid('spec.policyName', policyName, each));
  return [
    ...ofName,
    ...paramRefErrors(paramRef),
    ...constraintErrors(matchResources, 'spec.matchResources'),
    ...operationErrors(matchResources, 'spec.matchResources'),
  ];
}
