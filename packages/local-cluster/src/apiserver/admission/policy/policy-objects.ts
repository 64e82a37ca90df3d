import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { LabelSelector } from '../../selector/object-selector.ts';
import type { MatchConstraints } from '../match.ts';

/** The fields that validating and mutating policies share. */
export interface PolicySpec {
  failurePolicy?: 'Fail' | 'Ignore';
  paramKind?: { apiVersion: string; kind: string };
  matchConstraints?: MatchConstraints;
  matchConditions?: { name: string; expression: string }[];
  variables?: { name: string; expression: string }[];
}

export interface Policy extends KubeObject {
  spec: PolicySpec;
}

export interface ValidatingAdmissionPolicy extends KubeObject {
  spec: PolicySpec & {
    validations?: Validation[];
    auditAnnotations?: { key: string; valueExpression: string }[];
  };
}

export interface Validation {
  expression: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

export interface MutatingAdmissionPolicy extends KubeObject {
  spec: PolicySpec & {
    mutations?: Mutation[];
    reinvocationPolicy?: 'Never' | 'IfNeeded';
  };
}

export interface Mutation {
  patchType: 'JSONPatch' | 'ApplyConfiguration';
  jsonPatch?: { expression?: string };
  applyConfiguration?: { expression?: string };
}

/** A MutatingAdmissionPolicyBinding, and the fields that both kinds of bindings share. */
export interface PolicyBinding extends KubeObject {
  spec: {
    policyName: string;
    paramRef?: ParamRef;
    matchResources?: MatchConstraints;
  };
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: 'Allow' | 'Deny';
}

export interface ValidatingAdmissionPolicyBinding extends PolicyBinding {
  spec: PolicyBinding['spec'] & { validationActions?: ('Deny' | 'Warn' | 'Audit')[] };
}
