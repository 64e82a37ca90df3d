import type { Lists, Reasoned, Specs } from './judge.ts';

/** Kubernetes' specs that the local API server passes. */
const mustPass: Specs = {
  '[sig-api-machinery] AggregatedDiscovery': [
    'should support aggregated discovery interface for CRDs [Conformance]',
    'should support raw aggregated discovery request for CRDs [Conformance]',
  ],
  '[sig-api-machinery] CustomResourceDefinition Watch [Privileged:ClusterAdmin] CustomResourceDefinition Watch':
    ['watch on custom resource definition objects [Conformance]'],
  '[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin]': [
    'Simple CustomResourceDefinition creating/deleting custom resource definition objects works [Conformance]',
    'Simple CustomResourceDefinition getting/updating/patching custom resource definition status sub-resource works [Conformance]',
    'Simple CustomResourceDefinition listing custom resource definition objects works [Conformance]',
    'custom resource defaulting for requests and from storage works [Conformance]',
    'should include custom resource definition resources in discovery documents [Conformance]',
  ],
  '[sig-api-machinery] CustomResourceValidationRules [Privileged:ClusterAdmin]': [
    'MUST NOT fail validation for create of a custom resource that satisfies the x-kubernetes-validations rules',
    'MUST fail create of a custom resource definition that contains a x-kubernetes-validations rule that refers to a property that do not exist',
    'MUST fail create of a custom resource definition that contains an x-kubernetes-validations rule that contains a syntax error',
    'MUST fail update of a custom resource that does not satisfy a x-kubernetes-validations transition rule',
    'MUST fail validation for create of a custom resource that does not satisfy the x-kubernetes-validations rules',
  ],
  '[sig-api-machinery] Discovery': [
    'should validate PreferredVersion for each APIGroup [Conformance]',
    'Custom resource should have storage version hash',
    'should accurately determine present and missing resources',
  ],
  '[sig-api-machinery] FieldValidation': [
    'should create/apply a CR with unknown fields for CRD with no validation schema [Conformance]',
    'should create/apply a valid CR for CRD with validation schema [Conformance]',
    'should create/apply an invalid CR with extra properties for CRD with validation schema [Conformance]',
    'should detect duplicates in a CR when preserving unknown fields [Conformance]',
    'should detect unknown and duplicate fields of a typed object [Conformance]',
    'should detect unknown metadata fields in both the root and embedded object of a CR [Conformance]',
    'should detect unknown metadata fields of a typed object [Conformance]',
  ],
  '[sig-api-machinery] Garbage collector': [
    'should delete RS created by deployment when not orphaning [Conformance]',
    'should delete pods created by rc when not orphaning [Conformance]',
    'should keep the rc around until all its pods are deleted if the deleteOptions says so [Serial] [Conformance]',
    'should not be blocked by dependency circle [Conformance]',
    "should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted [Serial] [Conformance]",
    'should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan [Conformance]',
    'should orphan pods created by rc if delete options say so [Serial] [Conformance]',
    'should support cascading deletion of custom resources',
    'should support orphan deletion of custom resources',
  ],
  '[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin]': [
    'should mutate a Deployment [Conformance]',
    'should mutate a Deployment with annotations [Conformance]',
    'should support MutatingAdmissionPolicy API operations [Conformance]',
    'should support MutatingAdmissionPolicyBinding API operations [Conformance]',
  ],
  '[sig-api-machinery] Namespaces [Serial]': [
    'should apply a finalizer to a Namespace [Conformance]',
    'should apply an update to a Namespace [Conformance]',
    'should apply changes to a namespace status [Conformance]',
    'should ensure that all pods are removed when a namespace is deleted [Conformance]',
    'should ensure that all services are removed when a namespace is deleted [Conformance]',
    'should patch a Namespace [Conformance]',
  ],
  '[sig-api-machinery] OrderedNamespaceDeletion namespace deletion': [
    'should delete pod first [Conformance]',
  ],
  '[sig-api-machinery] Server request timeout': [
    'default timeout should be used if the specified timeout in the request URL is 0s',
    'should return HTTP status code 400 if the user specifies an invalid timeout in the request URL',
    'the request should be served with a default timeout if the specified timeout in the request URL exceeds maximum allowed',
  ],
  '[sig-api-machinery] ServerSideApply': [
    'should create an applied object if it does not already exist',
    'should give up ownership of a field if forced applied by a controller',
    'should ignore conflict errors if force apply is used',
    'should not remove a field if an owner unsets the field but other managers still have ownership of the field',
    'should remove a field if it is owned but removed in the apply request',
    'should work for CRDs',
    'should work for subresources',
  ],
  '[sig-api-machinery] CRDValidationRatcheting [Privileged:ClusterAdmin] [FeatureGate:CRDValidationRatcheting]':
    [
      'MUST NOT fail to update a resource due to CRD Validation Rule errors on unchanged correlatable fields',
      'MUST NOT fail to update a resource due to JSONSchema errors on unchanged correlatable fields',
      'MUST NOT ratchet errors raised by transition rules',
      'MUST evaluate a CRD Validation Rule with oldSelf = nil for new values when optionalOldSelf is true',
      'MUST fail to update a resource due to CRD Validation Rule errors on changed fields',
      'MUST fail to update a resource due to CRD Validation Rule errors on unchanged uncorrelatable fields',
      'MUST fail to update a resource due to JSONSchema errors on changed fields',
      'MUST fail to update a resource due to JSONSchema errors on unchanged uncorrelatable fields',
    ],
  '[sig-api-machinery] ResourceQuota': [
    'should apply changes to a resourcequota status [Conformance]',
    'should be able to update and delete ResourceQuota. [Conformance]',
    'should create a ResourceQuota and capture the life of a configMap. [Conformance]',
    'should create a ResourceQuota and capture the life of a custom resource.',
    'should create a ResourceQuota and capture the life of a pod. [Conformance]',
    'should create a ResourceQuota and capture the life of a replica set. [Conformance]',
    'should create a ResourceQuota and capture the life of a replication controller. [Conformance]',
    'should create a ResourceQuota and capture the life of a secret. [Conformance]',
    'should create a ResourceQuota and capture the life of a service. [Conformance]',
    'should create a ResourceQuota and ensure its status is promptly calculated. [Conformance]',
    'should manage the lifecycle of a ResourceQuota [Conformance]',
    'should verify ResourceQuota with best effort scope. [Conformance]',
    'should verify ResourceQuota with terminating scopes. [Conformance]',
  ],
  '[sig-api-machinery] Servers with support for API chunking': [
    'should return chunks of results for list calls [Conformance]',
    'should support continue listing from the last key if the original version has been compacted away, though the list is inconsistent [Slow] [Conformance]',
  ],
  '[sig-api-machinery] Servers with support for Table transformation': [
    'should return a 406 for a backend which does not implement metadata [Conformance]',
    'should return chunks of table results for list calls',
    'should return generic metadata details across all namespaces for nodes',
    'should return pod details',
  ],
  '[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin]': [
    'should allow expressions to refer variables. [Conformance]',
    'should support ValidatingAdmissionPolicy API operations [Conformance]',
    'should support ValidatingAdmissionPolicyBinding API operations [Conformance]',
    'should validate against a Deployment [Conformance]',
  ],
  '[sig-api-machinery] Watchers': [
    'should be able to restart watching from the last resource version observed by the previous watch [Conformance]',
    'should be able to start watching from a specific resource version [Conformance]',
    'should observe add, update, and delete watch notifications on configmaps [Conformance]',
    'should observe an object deletion if it stops meeting the requirements of the selector [Conformance]',
    'should receive events on concurrent watches in same order [Conformance]',
  ],
  '[sig-api-machinery] client-go': [
    'should negotiate watch and report errors with accept "application/json"',
    'should negotiate watch and report errors with accept "application/json,application/vnd.kubernetes.protobuf"',
    'should negotiate watch and report errors with accept "application/vnd.kubernetes.protobuf,application/json"',
  ],
  '[sig-api-machinery] server version': ['should find the server version [Conformance]'],
  '[sig-api-machinery] API Streaming (aka. WatchList) [FeatureGate:WatchList] [Beta]': [
    "reflector doesn't support receiving resources as Tables",
    "reflector using standard List doesn't support receiving resources as Tables",
    'server supports sending resources in Table format',
    "should NOT be requested by client-go's List method when WatchListClient is enabled",
    "should NOT be requested by dynamic client's List method when WatchListClient is enabled",
    'should be requested by informers when WatchListClient is enabled',
  ],
  '[sig-apps] Deployment': ['should validate Deployment Status endpoints [Conformance]'],
  '[sig-apps] ReplicationController': [
    'should adopt matching pods on creation [Conformance]',
    'should get and update a ReplicationController scale [Conformance]',
    'should release no longer matching pods [Conformance]',
    'should surface a failure condition on a common issue like exceeded quota [Conformance]',
    'should test the lifecycle of a ReplicationController [Conformance]',
  ],
  '[sig-apps] ReplicaSet': ['should validate Replicaset Status endpoints [Conformance]'],
  '[sig-auth] ServiceAccounts': [
    'should create a serviceAccountToken and ensure a successful TokenReview [Conformance]',
    'should guarantee kube-root-ca.crt exist in any namespace [Conformance]',
    'should run through the lifecycle of a ServiceAccount [Conformance]',
    'should update a ServiceAccount [Conformance]',
  ],
  '[sig-auth] SubjectReview': ['should support SubjectReview API operations [Conformance]'],
  '[sig-auth] SelfSubjectReview': ['testing SSR in different API groups authentication/v1'],
  '[sig-instrumentation] Events': [
    'should delete a collection of events [Conformance]',
    'should manage the lifecycle of an event [Conformance]',
  ],
  '[sig-node] ConfigMap': [
    'should fail to create ConfigMap with empty key [Conformance]',
    'should run through a ConfigMap lifecycle [Conformance]',
    'should update ConfigMap successfully [NodeConformance] [Conformance]',
  ],
  '[sig-node] Secrets': [
    'should fail to create secret due to empty secret key [Conformance]',
    'should patch a secret [Conformance]',
  ],
  '[sig-node] Lease': ['lease API should be available [Conformance]'],
  '[sig-node] Node Lifecycle': ['should run through the lifecycle of a node [Conformance]'],
  '[sig-node] PodTemplates': [
    'should delete a collection of pod templates [Conformance]',
    'should replace a pod template [Conformance]',
    'should run the lifecycle of PodTemplates [Conformance]',
  ],
  '[sig-node] Pods Extended Pods Set QOS Class': [
    'should be set on Pods with matching resource requests and limits for memory and cpu [Conformance]',
  ],
  '[sig-scheduling] LimitRange': [
    'should create a LimitRange with defaults and ensure pod has those defaults applied. [Conformance]',
    'should list, patch and delete a LimitRange by collection [Conformance]',
  ],
  '[sig-network] Services': [
    'should complete a service status lifecycle [Conformance]',
    'should delete a collection of services [Conformance]',
    'should find a service from listing all namespaces [Conformance]',
  ],
  '[sig-network] EndpointSlice': ['should support creating EndpointSlice API operations [Conformance]'],
  '[sig-cli] Kubectl client': [
    'Kubectl api-versions should check if v1 is in available api versions [Conformance]',
    'Kubectl cluster-info should check if Kubernetes control plane services is included in cluster-info [Conformance]',
    'Kubectl diff should check if kubectl diff finds a difference for Deployments [Conformance]',
    'Kubectl version should check is all data is printed [Conformance]',
    'Proxy server should support --unix-socket=/path [Conformance]',
    'Proxy server should support proxy with --port 0 [Conformance]',
  ],
};

/** Specs of planned features that still fail. A spec that begins to pass must be moved to mustPass. */
const failsYet: readonly Reasoned[] = [];

/** Specs of features that are missing by design. They do not run. */
const cannotApply: readonly Reasoned[] = [
  {
    because: 'it requires a web server that runs in a pod from a container image',
    specs: {
      '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin]': [
        'listing mutating webhooks should work [Conformance]',
        'listing validating webhooks should work [Conformance]',
        'patching/updating a mutating webhook should work [Conformance]',
        'patching/updating a validating webhook should work [Conformance]',
        'should be able to create and update mutating webhook configurations with match conditions [Conformance]',
        'should be able to create and update validating webhook configurations with match conditions [Conformance]',
        'should be able to deny attaching pod [Conformance]',
        'should be able to deny custom resource creation, update and deletion [Conformance]',
        'should be able to deny pod and configmap creation [Conformance]',
        'should deny crd creation [Conformance]',
        'should honor timeout [Conformance]',
        'should include webhook resources in discovery documents [Conformance]',
        'should mutate configmap [Conformance]',
        'should mutate custom resource [Conformance]',
        'should mutate custom resource with different stored version [Conformance]',
        'should mutate custom resource with pruning [Conformance]',
        "should mutate everything except 'skip-me' configmaps [Conformance]",
        'should mutate pod and apply defaults after mutation [Conformance]',
        'should not be able to mutate or prevent deletion of webhook configuration objects [Conformance]',
        'should reject mutating webhook configurations with invalid match conditions [Conformance]',
        'should reject validating webhook configurations with invalid match conditions [Conformance]',
        'should unconditionally reject operations on fail closed webhook [Conformance]',
      ],
      '[sig-api-machinery] CustomResourceConversionWebhook [Privileged:ClusterAdmin]': [
        'should be able to convert a non homogeneous list of CRs [Conformance]',
        'should be able to convert from CR v1 to CR v2 [Conformance]',
      ],
      '[sig-api-machinery] CustomResourceFieldSelectors [Privileged:ClusterAdmin] CustomResourceFieldSelectors':
        ['MUST list and watch custom resources matching the field selector [Conformance]'],
      '[sig-api-machinery] Aggregator': [
        'Should be able to support the 1.17 Sample API Server using the current Aggregator [LinuxOnly] [Conformance]',
      ],
    },
  },
  {
    because: 'it requires every API group of a complete Kubernetes cluster',
    specs: {
      '[sig-api-machinery] AggregatedDiscovery': [
        'should support aggregated discovery interface [Conformance]',
        'should support raw aggregated discovery endpoint Accept headers [Conformance]',
      ],
      '[sig-api-machinery] Discovery': [
        'should locate the groupVersion and a resource within each APIGroup [Conformance]',
      ],
    },
  },
  {
    because: 'it requires OpenAPI v2; the local API server publishes only v3, which supersedes it',
    specs: {
      '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin]': [
        'removes definition from spec when one version gets changed to not be served [Conformance]',
        'updates the published spec when one version gets renamed [Conformance]',
        'works for CRD preserving unknown fields at the schema root [Conformance]',
        'works for CRD preserving unknown fields in an embedded object [Conformance]',
        'works for CRD with validation schema [Conformance]',
        'works for CRD without validation schema [Conformance]',
        'works for multiple CRDs of different groups [Conformance]',
        'works for multiple CRDs of same group and version but different kinds [Conformance]',
        'works for multiple CRDs of same group but different versions [Conformance]',
      ],
    },
  },
  {
    because: 'API priority and fairness is not served: the local API server is one process with one queue',
    specs: {
      '[sig-api-machinery] API priority and fairness': [
        'should support FlowSchema API operations [Conformance]',
        'should support PriorityLevelConfiguration API operations [Conformance]',
      ],
    },
  },
  {
    because:
      'responses are JSON, in which every item of a metadata list has its kind; the spec expects protobuf, in which items have none',
    specs: {
      '[sig-api-machinery] API Streaming (aka. WatchList) [FeatureGate:WatchList] [Beta]': [
        "should NOT be requested by metadata client's List method when WatchListClient is enabled",
        'should be requested by metadatainformer when WatchListClient is enabled',
      ],
    },
  },
  {
    because: 'events.k8s.io is not served; only Events of v1 are',
    specs: {
      '[sig-instrumentation] Events API': [
        'should delete a collection of events [Conformance]',
        'should ensure that an event can be fetched, patched, deleted, and listed [Conformance]',
      ],
    },
  },
];

/** Every conformance spec of API machinery must be listed; of other groups, those that need only an API server. */
export const lists: Lists = {
  mustPass,
  failsYet,
  cannotApply,
  concerns: (name) => name.startsWith('[sig-api-machinery] ') && name.endsWith('[Conformance]'),
};
