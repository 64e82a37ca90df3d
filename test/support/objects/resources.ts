import type { KubeObject } from '../../../src/api/wire.ts';

import {
  configMaps,
  configRollouts,
  deployments,
  pods,
  type Resource,
  resourceQuotas,
  secrets,
} from '../../../src/kube/resource.ts';

const namespaced = (group: string, kind: string, plural: string): Resource => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced: true,
});

const statefulSets = namespaced('apps', 'StatefulSet', 'statefulsets');
const daemonSets = namespaced('apps', 'DaemonSet', 'daemonsets');
export const replicaSets = namespaced('apps', 'ReplicaSet', 'replicasets');

const forAll = (group: string, kind: string, plural: string): Resource => ({
  ...namespaced(group, kind, plural),
  namespaced: false,
});

const admission = 'admissionregistration.k8s.io';
const rbac = 'rbac.authorization.k8s.io';
const known: Resource[] = [
  configRollouts,
  configMaps,
  secrets,
  pods,
  deployments,
  statefulSets,
  daemonSets,
  replicaSets,
  resourceQuotas,
  namespaced('', 'ServiceAccount', 'serviceaccounts'),
  namespaced(rbac, 'Role', 'roles'),
  namespaced(rbac, 'RoleBinding', 'rolebindings'),
  namespaced('', 'Service', 'services'),
  forAll('', 'Namespace', 'namespaces'),
  forAll(rbac, 'ClusterRole', 'clusterroles'),
  forAll(rbac, 'ClusterRoleBinding', 'clusterrolebindings'),
  forAll('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions'),
  forAll(admission, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'),
  forAll(admission, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
  forAll(admission, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
];

/** Where objects of this kind live. A builder for another kind adds its line above. */
export function resourceOf(object: KubeObject): Resource {
  const resource = known.find(({ kind }) => kind === object.kind);
  if (!resource)
    throw new TypeError(`test/support/objects/resources.ts does not know the kind ${object.kind}`);
  return resource;
}
