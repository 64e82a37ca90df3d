import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ownLabels } from '../../api/names.ts';
import { controllerUser, installation, namespaceSelector } from './installation.ts';

/** A rule that API servers keep by themselves, also while the controller is down. */
interface Guard {
  name: string;
  resources: { group: string; version: string; plurals: string[]; operations: Operation[] };
  objectSelector?: LabelSelector;
  /** CEL, evaluated when used: `variables.NAME`. */
  variables: Record<string, string>;
  validations: Validation[];
  /** What a request gets for which the rule can't be evaluated. */
  failurePolicy: 'Fail' | 'Ignore';
  /** Every object of this kind in the request's namespace is put to the validations, one after the other. */
  params?: { apiVersion: string; kind: string };
}

type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

interface LabelSelector {
  matchExpressions: { key: string; operator: 'Exists' | 'DoesNotExist' }[];
}

export interface Validation {
  expression: string;
  /** A sentence for the person who is refused: what, and what to do instead. CEL, so that it can name things. */
  messageExpression: string;
}

/**
 * Guards leave these alone. The garbage collector deletes versions with their last owner and takes owner references
 * off, the namespace controller empties namespaces: refused, either would try for ever. Without
 * --use-service-account-credentials both have the controller manager's own name.
 */
const exemptUsers = [
  controllerUser,
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
];

const registration = 'admissionregistration.k8s.io/v1';

/** The policy and its binding. In namespaced mode it knows no other namespace. */
export function guard(guard: Guard, namespace: string | undefined): KubeObject[] {
  const { group, version, plurals, operations } = guard.resources;
  const metadata = { name: `${installation(namespace).prefix}-${guard.name}`, labels: ownLabels };
  const policy = {
    apiVersion: registration,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: guard.failurePolicy,
      ...(guard.params && { paramKind: guard.params }),
      matchConstraints: {
        namespaceSelector: namespaceSelector(namespace),
        ...(guard.objectSelector && { objectSelector: guard.objectSelector }),
        resourceRules: [{ apiGroups: [group], apiVersions: [version], operations, resources: plurals }],
      },
      matchConditions: [
        { name: 'not-exempt', expression: `!(request.userInfo.username in ${cel(exemptUsers)})` },
      ],
      variables: Object.entries(guard.variables).map(([name, expression]) => ({ name, expression })),
      validations: guard.validations.map((each) => ({ ...each, reason: 'Forbidden' })),
    },
  };
  const binding = {
    apiVersion: registration,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: {
      policyName: metadata.name,
      validationActions: ['Deny'],
      // All of the namespace of the request: which one it is about, the validation tells.
      ...(guard.params && { paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } }),
    },
  };
  return [policy, binding];
}

/** A value as CEL writes it: JSON's strings and lists are CEL's, too. */
export function cel(value: string | string[]): string {
  return JSON.stringify(value);
}

/** Whether no entry of a map with this prefix differs between two maps, in either direction. */
export function sameEntries(prefix: string, before: string, after: string): string {
  const isOurs = `k.startsWith(${cel(prefix)})`;
  return (
    `${after}.all(k, !${isOurs} || (k in ${before} && ${before}[k] == ${after}[k])) && ` +
    `${before}.all(k, !${isOurs} || k in ${after})`
  );
}
