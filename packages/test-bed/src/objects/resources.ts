import {
  configMaps,
  deployments,
  pods,
  type Resource,
  resourceQuotas,
  secrets,
} from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

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

/** For builders of kinds that a cluster gets from somebody: they say where their objects live. */
export function addKind(resource: Resource): void {
  known.push(resource);
}

/** Where objects of this kind live. A builder for another kind of Kubernetes adds its line above. */
export function resourceOf(object: KubeObject): Resource {
  const resource = known.find(({ kind }) => kind === object.kind);
  if (!resource)
    throw new TypeError(`packages/test-bed/src/objects/resources.ts does not know the kind ${object.kind}`);
  return resource;
}
