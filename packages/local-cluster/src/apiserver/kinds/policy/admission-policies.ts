import type { MatchConstraints } from '../../admission/match.ts';
import type {
  MutatingAdmissionPolicy,
  ParamRef,
  PolicyBinding,
  PolicySpec,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../admission/policy/policy-objects.ts';
import {
  validateMutatingBinding,
  validateMutatingPolicy,
} from '../../admission/policy/validate-mutating-policy.ts';
import { validateBinding, validatePolicy } from '../../admission/policy/validate-policy.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { selectorGoText } from '../../selector/selector-go-text.ts';
import { defineKind } from '../define-kind.ts';
import type { Kind, Strategy } from '../kind.ts';

const group = 'admissionregistration.k8s.io';

function defaultMatch(match: MatchConstraints): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])])
    rule.scope ??= '*';
}

type Stored<T> = T & ApiObject;

/** Defines a kind of policies. `rules` names its rules and the column that counts them. */
function policyKind<T extends { spec: PolicySpec }>(
  kind: string,
  hash: string,
  rules: { column: string; of(spec: T['spec']): readonly unknown[] | undefined },
  strategy: Partial<Strategy<Stored<T>>>,
  more: { hasStatus?: boolean } = {},
): Kind {
  return defineKind<Stored<T>>({
    group,
    kind,
    plural: `${kind.slice(0, -1).toLowerCase()}ies`,
    namespaced: false,
    categories: ['api-extensions'],
    storageVersionHash: hash,
    definition: `io.k8s.api.admissionregistration.v1.${kind}`,
    hasGeneration: true,
    unconditionalUpdate: false,
    ...more,
    strategy: {
      nameRule: dnsSubdomain,
      defaults({ spec }) {
        spec.failurePolicy ??= 'Fail';
        if (spec.matchConstraints !== undefined) defaultMatch(spec.matchConstraints);
      },
      ...strategy,
    },
    columns: [
      nameColumn,
      { name: rules.column, type: 'integer', value: ({ spec }) => rules.of(spec)?.length ?? 0 },
      {
        name: 'ParamKind',
        value: ({ spec: { paramKind } }) =>
          paramKind ? `${paramKind.apiVersion}/${paramKind.kind}` : '<unset>',
      },
      ageColumn,
    ],
  });
}

function bindingKind<T extends PolicyBinding>(
  kind: string,
  hash: string,
  validate: NonNullable<Strategy<Stored<T>>['validate']>,
): Kind {
  return defineKind<Stored<T>>({
    group,
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: false,
    categories: ['api-extensions'],
    storageVersionHash: hash,
    definition: `io.k8s.api.admissionregistration.v1.${kind}`,
    hasGeneration: true,
    unconditionalUpdate: false,
    strategy: {
      nameRule: dnsSubdomain,
      validate,
      defaults({ spec }) {
        if (spec.matchResources !== undefined) defaultMatch(spec.matchResources);
      },
    },
    columns: [
      nameColumn,
      { name: 'PolicyName', value: ({ spec }) => spec.policyName ?? '' },
      { name: 'ParamRef', value: ({ spec }) => paramRefText(spec.paramRef) },
      ageColumn,
    ],
  });
}

/** A star stands for a namespace that is not set. */
function paramRefText(paramRef: ParamRef | undefined): string {
  const { namespace = '', name = '', selector } = paramRef ?? {};
  if (name !== '') return `${namespace || '*'}/${name}`;
  return selector === undefined ? '<unset>' : selectorGoText(selector);
}

export const validatingAdmissionPolicies = policyKind<ValidatingAdmissionPolicy>(
  'ValidatingAdmissionPolicy',
  '6OxvlMmQ6is=',
  { column: 'Validations', of: ({ validations }) => validations },
  {
    validate: validatePolicy,
    prepareForCreate(object) {
      Object.assign(object, { status: {} });
    },
  },
  { hasStatus: true },
);

export const validatingAdmissionPolicyBindings = bindingKind<ValidatingAdmissionPolicyBinding>(
  'ValidatingAdmissionPolicyBinding',
  'v9715VZqakg=',
  validateBinding,
);

/** Kubernetes 1.36 stores mutating policies as v1beta1, so their hashes are those of that version. */
export const mutatingAdmissionPolicies = policyKind<MutatingAdmissionPolicy>(
  'MutatingAdmissionPolicy',
  'LYmCf+UMVdg=',
  { column: 'Mutations', of: ({ mutations }) => mutations },
  { validate: validateMutatingPolicy },
);

export const mutatingAdmissionPolicyBindings = bindingKind<PolicyBinding>(
  'MutatingAdmissionPolicyBinding',
  '90V5FRZZ3Zg=',
  validateMutatingBinding,
);
