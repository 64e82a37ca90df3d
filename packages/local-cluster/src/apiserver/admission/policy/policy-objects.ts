import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { LabelSelector } from '../../selector/object-selector.ts';
import type { MatchConstraints } from '../match.ts';

export interface ValidatingAdmissionPolicy extends KubeObject {
  spec: {
    failurePolicy?: 'Fail' | 'Ignore';
    paramKind?: { apiVersion: string; kind: string };
    matchConstraints?: MatchConstraints;
    matchConditions?: { name: string; expression: string }[];
    variables?: { name: string; expression: string }[];
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

export interface ValidatingAdmissionPolicyBinding extends KubeObject {
  spec: {
    policyName: string;
    paramRef?: {
      name?: string;
      namespace?: string;
      selector?: LabelSelector;
      parameterNotFoundAction?: 'Allow' | 'Deny';
    };
    matchResources?: MatchConstraints;
    validationActions?: ('Deny' | 'Warn' | 'Audit')[];
  };
}
