import { selfSubjectReviews, tokenReviews } from './access/authentication.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './access/authorization.ts';
import { controllerRevision } from './apps/controller-revision.ts';
import { daemonSet } from './apps/daemon-set.ts';
import { deployment } from './apps/deployment.ts';
import { replicaSet } from './apps/replica-set.ts';
import { replicationController } from './apps/replication-controller.ts';
import { statefulSet } from './apps/stateful-set.ts';
import { configMap } from './core/config-map.ts';
import { event } from './core/event.ts';
import { limitRange } from './core/limit-range.ts';
import { namespace } from './core/namespace.ts';
import { node } from './core/node.ts';
import { pod } from './core/pod.ts';
import { podTemplate } from './core/pod-template.ts';
import { resourceQuota } from './core/resource-quota.ts';
import { secret } from './core/secret.ts';
import { service } from './core/service.ts';
import { serviceAccount } from './core/service-account.ts';
import type { Kind } from './kind.ts';
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './policy/admission-policies.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './policy/admission-webhooks.ts';
import { customResourceDefinitions } from './policy/custom-resource-definition.ts';
import { endpointSlice } from './policy/endpoint-slice.ts';
import { lease } from './policy/lease.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './policy/rbac.ts';
import { priorityClass } from './scheduling/priority-class.ts';

/** All kinds that are served without CustomResourceDefinitions, with groups in Kubernetes' order. */
export const builtInKinds: readonly Kind[] = [
  ...[
    configMap,
    event,
    limitRange,
    namespace,
    node,
    pod,
    podTemplate,
    replicationController,
    resourceQuota,
    secret,
    service,
    serviceAccount,
  ],
  ...[controllerRevision, daemonSet, deployment, replicaSet, statefulSet],
  ...[tokenReviews, selfSubjectReviews],
  ...[localSubjectAccessReviews, selfSubjectAccessReviews, selfSubjectRulesReviews, subjectAccessReviews],
  ...[roles, clusterRoles, roleBindings, clusterRoleBindings],
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  customResourceDefinitions,
  priorityClass,
  lease,
  endpointSlice,
];
