import { systemNamespace } from '../../api/names.ts';
import { type InstallationScope, installationSuffix } from '../../core/installation/installation-scope.ts';

/** Options of `trimtab manifests`. The controller must be started with the same values. */
export interface ManifestOptions extends InstallationScope {
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

/** Names of one installation. Installations with different namespaces have different names and do not collide. */
export interface Installation {
  /** The only namespaces that it manages; undefined when it manages all of them. */
  namespaces: readonly string[] | undefined;
  /** The namespace of controller and gateway. */
  homeNamespace: string;
  /** Username of the controller. The admission policies exempt it; no other client can use it without its token. */
  controllerUser: string;
  /** Name prefix of cluster-scoped objects. */
  prefix: string;
  /** The leader election Lease, in the home namespace. */
  lease: string;
  /** The Secret with the webhook's certificate authority, in the home namespace. */
  webhookSecret: string;
  /** The ConfigMap that records which notifications were delivered, in the home namespace. */
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

export function installation(scope: InstallationScope = {}): Installation {
  const { namespaces, homeNamespace = systemNamespace } = scope;
  const suffix = installationSuffix(scope);
  const prefix = `trimtab${suffix}`;
  return {
    namespaces,
    homeNamespace,
    controllerUser: `system:serviceaccount:${homeNamespace}:${serviceAccountName}`,
    prefix,
    lease: `trimtab-controller${suffix}`,
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
  matchExpressions?: { key: string; operator: 'In' | 'NotIn'; values: readonly string[] }[];
}

/** The API server sets this label to the name of the namespace and does not allow changes. */
export const namespaceNameLabel = 'kubernetes.io/metadata.name';

/** Selects the namespaces of an admission rule: those that the installation manages. */
export function namespaceSelector({ namespaces }: Installation): LabelSelector {
  const [only, ...others] = namespaces ?? [];
  if (only === undefined) return {};
  if (others.length === 0) return { matchLabels: { [namespaceNameLabel]: only } };
  return { matchExpressions: [{ key: namespaceNameLabel, operator: 'In', values: [only, ...others] }] };
}

/**
 * The namespaces that the webhook itself needs. A webhook of pods does not block a pod there, nor change it, unless the
 * installation manages the namespace by name.
 */
export function unblockedNamespaces({ homeNamespace, namespaces = [] }: Installation): string[] {
  return ['kube-system', homeNamespace].filter((each) => !namespaces.includes(each));
}

/** Selects the namespaces of the webhooks of pods, which block a pod when they do not answer. */
export function blockedNamespaces(names: Installation): LabelSelector {
  const { matchExpressions = [], ...selector } = namespaceSelector(names);
  const unblocked = {
    key: namespaceNameLabel,
    operator: 'NotIn' as const,
    values: unblockedNamespaces(names),
  };
  return { ...selector, matchExpressions: [...matchExpressions, unblocked] };
}
