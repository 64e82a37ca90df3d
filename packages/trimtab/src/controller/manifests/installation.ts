import { systemNamespace } from '../../api/names.ts';

/** Options of `trimtab manifests`. The controller must be started with the same values. */
export interface ManifestOptions {
  /** The only namespace to manage; optional, defaults to all namespaces. */
  namespace?: string;
  /** False gives the controller no access to Secrets except the one with its certificate. Defaults to true. */
  secrets?: boolean;
  /** The controller accepts Reloader's annotations, so workloads with such an annotation must match the webhook. */
  reloaderAnnotations?: boolean;
  /** The controller reads the labels of namespaces, which select where annotations of Reloader opt in. */
  watchNamespaces?: boolean;
  /**
   * False omits the webhook; the controller then assigns versions after admission, with an additional rolling update.
   */
  webhook?: boolean;
  /**
   * URL of a controller outside of the cluster, for example `https://10.0.0.7:9443`; optional, defaults to a Service.
   */
  webhookUrl?: string;
  /** True includes MutatingAdmissionPolicies, which Kubernetes serves from 1.36 on. */
  mutatingPolicies?: boolean;
  /** True gives the controller the right to record which notifications it has delivered. */
  notifications?: boolean;
  /** True includes the pod webhook, which injects the agent; the controller must run with --agent-image. */
  inject?: boolean;
}

export const serviceAccountName = 'trimtab-controller';

/** Username of the controller. The admission policies exempt it; no other client can use it without its token. */
export const controllerUser = `system:serviceaccount:${systemNamespace}:${serviceAccountName}`;

/** URL paths of the webhooks. */
export const webhookPaths = {
  workloads: '/mutate-workloads',
  rollouts: '/mutate-rollouts',
  pods: '/mutate-pods',
  podReferences: '/mutate-pod-references',
} as const;

export const webhookServiceName = 'trimtab-webhook';

/** Target port of the webhook's Service. */
export const webhookContainerPort = 9443;

/** Object names of one installation. Namespaced installations have different names and do not collide. */
export interface Installation {
  /** Name prefix of cluster-scoped objects. */
  prefix: string;
  /** The leader election Lease, in the system namespace. */
  lease: string;
  /** The Secret with the webhook's certificate authority, in the system namespace. */
  webhookSecret: string;
  /** The ConfigMap that records which notifications were delivered, in the system namespace. */
  notificationRecord: string;
  /** The MutatingWebhookConfiguration; `webhooks` are its entries. */
  webhookConfiguration: string;
  webhooks: {
    workloads: string;
    rollouts: string;
    pods: string;
    podReferences: string;
    ephemeralContainers: string;
  };
}

export function installation(namespace: string | undefined): Installation {
  const prefix = namespace === undefined ? 'trimtab' : `trimtab-${namespace}`;
  return {
    prefix,
    lease: namespace === undefined ? 'trimtab-controller' : `trimtab-controller-${namespace}`,
    webhookSecret: `${prefix}-webhook`,
    notificationRecord: `${prefix}-notifications`,
    webhookConfiguration: `${prefix}-workloads`,
    webhooks: {
      workloads: 'workloads.trimtab.dev',
      rollouts: 'rollouts.trimtab.dev',
      pods: 'pods.trimtab.dev',
      podReferences: 'pod-references.trimtab.dev',
      ephemeralContainers: 'ephemeral-containers.trimtab.dev',
    },
  };
}

interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: 'NotIn'; values: string[] }[];
}

/** The API server sets this label to the name of the namespace and does not allow changes. */
export const namespaceNameLabel = 'kubernetes.io/metadata.name';

/** Selects the namespaces of an admission rule: one namespace, or all namespaces when undefined. */
export function namespaceSelector(namespace: string | undefined): LabelSelector {
  return namespace === undefined ? {} : { matchLabels: { [namespaceNameLabel]: namespace } };
}

/** The namespaces that the webhook itself needs. A webhook of pods does not block a pod there, nor change it. */
export const unblockedNamespaces: string[] = ['kube-system', systemNamespace];

/** Selects the namespaces of the webhooks of pods, which block a pod when they do not answer. */
export function blockedNamespaces(namespace: string | undefined): LabelSelector {
  return {
    ...namespaceSelector(namespace),
    matchExpressions: [{ key: namespaceNameLabel, operator: 'NotIn', values: unblockedNamespaces }],
  };
}
