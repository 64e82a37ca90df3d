import {
  configMaps,
  cronJobs,
  deployments,
  jobs,
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
export const replicationControllers = namespaced('', 'ReplicationController', 'replicationcontrollers');

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
  replicationControllers,
  jobs,
  cronJobs,
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
  forAll(admission, 'MutatingAdmissionPolicy', 'mutatingadmissionpolicies'),
  forAll(admission, 'MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings'),
  forAll(admission, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
  forAll(admission, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
];

/** Registers the resource of a custom kind, for builders of custom resources. */
export function addKind(resource: Resource): void {
  known.push(resource);
}

/** The resource of an object's kind. A builder for another built-in kind must be added to `known` above. */
export function resourceOf(object: KubeObject): Resource {
  const resource = known.find(({ kind }) => kind === object.kind);
  if (!resource)
    throw new TypeError(`unknown kind ${object.kind}: add it to packages/test-bed/src/objects/resources.ts`);
  return resource;
}
