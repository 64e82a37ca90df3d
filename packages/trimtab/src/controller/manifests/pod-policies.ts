import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations, ownLabels } from '../../api/names.ts';
import { assignedVersionsPattern } from '../../core/references/assigned-versions.ts';
import { cel, guard } from './guard.ts';
import { type Installation, type ManifestOptions, namespaceSelector } from './installation.ts';
import {
  changesOfNames,
  configsIn,
  entriesIn,
  isUnique,
  namesAny,
  type Places,
} from './reference-expressions.ts';

/** A request that can bring references into a pod. */
interface PodRequest {
  /** Name of its policies. */
  name: string;
  resource: string;
  operation: 'CREATE' | 'UPDATE';
  places: Places;
}

const spec = { spec: 'object.spec', path: '/spec' };

/** The creation of a pod, and `kubectl debug`. */
export const podRequests = {
  pods: {
    name: 'pod-references',
    resource: 'pods',
    operation: 'CREATE',
    places: { ...spec, containers: ['containers', 'initContainers'] },
  },
  ephemeralContainers: {
    name: 'ephemeral-containers',
    resource: 'pods/ephemeralcontainers',
    operation: 'UPDATE',
    places: { ...spec, containers: ['ephemeralContainers'], volumes: false },
  },
} as const satisfies Record<string, PodRequest>;

const versions = `object.metadata.?annotations[?${cel(annotations.versions)}].orValue('')`;
const isAssigned = {
  name: 'is-assigned-versions',
  expression: `${cel(annotations.versions)} in object.metadata.?annotations.orValue({})`,
};

/** Computes the list of configs once: a match condition has no variables. */
const withConfigs = (expression: string) => `[${configsIn(versions)}].exists(configs, ${expression})`;

/** Selects pods that are assigned versions which nothing has written into them yet. */
export function needsRewrite({ places }: PodRequest): { name: string; expression: string }[] {
  return [isAssigned, { name: 'names-the-configs', expression: withConfigs(namesAny(places, 'configs')) }];
}

/**
 * MutatingAdmissionPolicies that write the assigned versions into pods, inside the API server: no webhook is in the way of
 * a pod. Kubernetes serves the kind from 1.36 on.
 */
export function podPolicies(names: Installation): KubeObject[] {
  return Object.values(podRequests).flatMap((request) => podPolicy(request, names));
}

function podPolicy(request: PodRequest, names: Installation): KubeObject[] {
  const { name, resource, operation, places } = request;
  const metadata = { name: `${names.prefix}-${name}`, labels: ownLabels };
  const isValid = `${versions}.matches(${cel(assignedVersionsPattern)})`;
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Fail',
      // A webhook may insert a container after the first call.
      reinvocationPolicy: 'IfNeeded',
      matchConstraints: {
        namespaceSelector: namespaceSelector(names),
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: [operation], resources: [resource] },
        ],
      },
      // The guard refuses the others, with a message.
      matchConditions: [
        isAssigned,
        { name: 'is-valid', expression: isValid },
        { name: 'is-unique', expression: withConfigs(isUnique('configs')) },
      ],
      variables: [{ name: 'names', expression: entriesIn(versions) }],
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: changesOfNames(places, 'variables.names').join('\n+ ') },
        },
      ],
    },
  };
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata,
    spec: { policyName: metadata.name },
  };
  return [policy, binding];
}

/**
 * Refuses a pod that is assigned versions which nothing has written into it: it would quietly run the live config. No user
 * is exempt, because the controllers of Kubernetes create most pods.
 *
 * An API server limits the cost of an expression, so the configs are computed once. Where the mutating policies are served,
 * they are looked up in a map; Kubernetes before 1.33 has no expression for it and searches a list.
 */
export function guardPods(
  names: Installation,
  { mutatingPolicies = false }: Pick<ManifestOptions, 'mutatingPolicies'> = {},
): KubeObject[] {
  const variables = {
    list: configsIn(versions),
    configs: mutatingPolicies ? entriesIn(versions) : 'variables.list',
  };
  return Object.values(podRequests).flatMap(({ name, resource, operation, places }) =>
    guard(
      {
        name,
        failurePolicy: 'Fail',
        resources: { group: '', version: 'v1', plurals: [resource], operations: [operation] },
        matchConditions: [isAssigned],
        variables,
        validations: [
          {
            expression: `${versions}.matches(${cel(assignedVersionsPattern)})`,
            messageExpression: `"annotation ${annotations.versions} of the pod is not valid: must be versions by config, such as configmap/foo=foo-abcdefghij,secret/bar=bar-klmnopqrst"`,
          },
          {
            expression: isUnique('variables.list'),
            messageExpression: `"annotation ${annotations.versions} of the pod assigns more than one version to a config: each config may be named once"`,
          },
          {
            // The other validations refuse what this one cannot evaluate.
            expression: `!(${versions}.matches(${cel(assignedVersionsPattern)}) && ${isUnique('variables.list')}) || !${namesAny(places, 'variables.configs')}`,
            messageExpression: `"annotation ${annotations.versions} assigns versions to this pod, and nothing has written them into it: the policy or webhook ${names.prefix}-${name} is missing; apply the output of 'trimtab manifests' again"`,
          },
        ],
      },
      names,
    ),
  );
}
