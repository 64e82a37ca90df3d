import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ownLabels } from '../../api/names.ts';
import { type Installation, namespaceSelector } from './installation.ts';

/** A ValidatingAdmissionPolicy: API servers enforce it themselves, also while the controller is down. */
interface Guard {
  name: string;
  resources: { group: string; version: string; plurals: string[]; operations: Operation[] };
  objectSelector?: LabelSelector;
  /** The requests that the policy judges; optional, defaults to those of users that are not exempt. */
  matchConditions?: { name: string; expression: string }[];
  /** CEL expressions, evaluated lazily as `variables.NAME`. */
  variables: Record<string, string>;
  validations: Validation[];
  /** The reason of the response to a denied request: 403 or 422; optional, defaults to Forbidden. */
  reason?: 'Forbidden' | 'Invalid';
  /** Whether a request is denied when the policy cannot be evaluated. */
  failurePolicy: 'Fail' | 'Ignore';
  /** The validations run once for each object of this kind in the namespace of the request. */
  params?: { apiVersion: string; kind: string };
}

type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

interface LabelSelector {
  matchExpressions: { key: string; operator: 'Exists' | 'DoesNotExist' }[];
}

export interface Validation {
  expression: string;
  /** CEL expression of the message for the denied user: what is denied, why, and what to do. */
  messageExpression: string;
}

/**
 * Users that are exempt from the policies about objects that the controller writes. The garbage collector deletes versions with their last owner and removes
 * owner references, and the namespace controller deletes all objects of a namespace; if denied, both would retry
 * forever. Without --use-service-account-credentials, both use the username of the controller manager.
 */
const exemptUsers = ({ controllerUser }: Installation) => [
  controllerUser,
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
];

const registration = 'admissionregistration.k8s.io/v1';

/** Returns the policy and its binding. They match the namespaces of the installation only. */
export function guard(guard: Guard, names: Installation): KubeObject[] {
  const { group, version, plurals, operations } = guard.resources;
  const metadata = { name: `${names.prefix}-${guard.name}`, labels: ownLabels };
  const policy = {
    apiVersion: registration,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: guard.failurePolicy,
      ...(guard.params && { paramKind: guard.params }),
      matchConstraints: {
        namespaceSelector: namespaceSelector(names),
        ...(guard.objectSelector && { objectSelector: guard.objectSelector }),
        resourceRules: [{ apiGroups: [group], apiVersions: [version], operations, resources: plurals }],
      },
      matchConditions: guard.matchConditions ?? [
        { name: 'not-exempt', expression: `!(request.userInfo.username in ${cel(exemptUsers(names))})` },
      ],
      variables: Object.entries(guard.variables).map(([name, expression]) => ({ name, expression })),
      validations: guard.validations.map((each) => ({ ...each, reason: guard.reason ?? 'Forbidden' })),
    },
  };
  const binding = {
    apiVersion: registration,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: {
      policyName: metadata.name,
      validationActions: ['Deny'],
      // Selects all objects in the namespace of the request; the validation finds the matching one.
      ...(guard.params && { paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } }),
    },
  };
  return [policy, binding];
}

/** Formats a value as a CEL literal. JSON strings and lists are valid CEL literals. */
export function cel(value: string | string[]): string {
  return JSON.stringify(value);
}

/** Returns a CEL expression that is true when two maps have the same entries with this key prefix. */
export function sameEntries(prefix: string, before: string, after: string, except?: string): string {
  const isOurs = `k.startsWith(${cel(prefix)})${except === undefined ? '' : ` && k != ${cel(except)}`}`;
  return (
    `${after}.all(k, !(${isOurs}) || (k in ${before} && ${before}[k] == ${after}[k])) && ` +
    `${before}.all(k, !(${isOurs}) || k in ${after})`
  );
}
