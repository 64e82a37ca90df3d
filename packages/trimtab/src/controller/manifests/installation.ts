import { systemNamespace } from '../../api/names.ts';

/** What `trimtab manifests` is asked for; the controller is started with the same answers. */
export interface ManifestOptions {
  /** Manage this namespace only; every namespace unless told. */
  namespace?: string;
  /** False: the controller may read and write no Secrets but its own certificate. */
  secrets?: boolean;
  /** The controller obeys Reloader's annotations, so workloads with one have to reach the webhook, too. */
  reloaderAnnotations?: boolean;
  /** False: no webhook. The controller then repairs what a webhook would have kept right, one rolling update later. */
  webhook?: boolean;
  /** Where API servers reach a controller outside of the cluster, such as `https://10.0.0.7:9443`; a Service unless told. */
  webhookUrl?: string;
}

export const serviceAccountName = 'trimtab-controller';

/** As whom API servers see the controller. Guards exempt it, and nobody else can be it without its token. */
export const controllerUser = `system:serviceaccount:${systemNamespace}:${serviceAccountName}`;

/** Where the controller answers about workloads and about ConfigRollouts. */
export const webhookPaths = { workloads: '/mutate-workloads', rollouts: '/mutate-rollouts' } as const;

export const webhookServiceName = 'trimtab-webhook';

/** The port of the controller's pods that the webhook's Service leads to. */
export const webhookContainerPort = 9443;

/** Names of the objects that belong to one controller, so that controllers of several namespaces stay apart. */
export interface Installation {
  /** Starts the name of each cluster-wide object. */
  prefix: string;
  /** In the system namespace: which replica leads. */
  lease: string;
  /** In the system namespace: the webhook's certificate authority. */
  webhookSecret: string;
  /** The MutatingWebhookConfiguration, and the webhooks in it. */
  webhookConfiguration: string;
  webhooks: { workloads: string; rollouts: string };
}

export function installation(namespace: string | undefined): Installation {
  const prefix = namespace === undefined ? 'trimtab' : `trimtab-${namespace}`;
  return {
    prefix,
    lease: namespace === undefined ? 'trimtab-controller' : `trimtab-controller-${namespace}`,
    webhookSecret: `${prefix}-webhook`,
    webhookConfiguration: `${prefix}-workloads`,
    webhooks: { workloads: 'workloads.trimtab.dev', rollouts: 'rollouts.trimtab.dev' },
  };
}

interface LabelSelector {
  matchLabels?: Record<string, string>;
}

/** Which namespaces an admission rule of this installation is about; everything without a namespace. */
export function namespaceSelector(namespace: string | undefined): LabelSelector {
  // Every namespace has its own name as this label, and nobody can change it.
  return namespace === undefined ? {} : { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
}
