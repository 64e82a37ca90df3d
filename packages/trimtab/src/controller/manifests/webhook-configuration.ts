import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ownLabels } from '../../api/names.ts';
import {
  blockedNamespaces,
  type Installation,
  installation,
  type ManifestOptions,
  namespaceSelector,
  webhookContainerPort,
  webhookServiceName,
} from './installation.ts';
import {
  podReferenceWebhooks,
  podWebhook,
  rolloutWebhook,
  type Webhook,
  workloadWebhook,
} from './webhooks.ts';

/**
 * Registers the webhooks of the controller. Those of workloads and rollouts never block a request: without a response in
 * time, the API server admits the object unchanged. The controller sets `caBundle` itself.
 */
export function webhookConfiguration(options: ManifestOptions): KubeObject[] {
  const names = installation(options);
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: names.webhookConfiguration, labels: ownLabels },
    webhooks: [
      workloadWebhook(names.webhooks.workloads, names.controllerUser, options.reloaderAnnotations ?? false),
      rolloutWebhook(names.webhooks.rollouts, names.controllerUser),
      ...(options.inject ? [podWebhook(names.webhooks.pods)] : []),
      ...podReferenceWebhooks({
        pods: names.webhooks.podReferences,
        ephemeralContainers: names.webhooks.ephemeralContainers,
      }),
    ].map((webhook) => registered(webhook, names, options)),
  };
  return options.webhookUrl === undefined ? [service(names), configuration] : [configuration];
}

function registered(
  { path, resources, operations, ...webhook }: Webhook,
  names: Installation,
  options: ManifestOptions,
): object {
  const select = webhook.failurePolicy === 'Fail' ? blockedNamespaces : namespaceSelector;
  return {
    ...webhook,
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfig(path, names, options.webhookUrl),
    timeoutSeconds: 3,
    matchPolicy: 'Equivalent',
    namespaceSelector: select(names),
    rules: [
      {
        apiGroups: [resources.group],
        apiVersions: [resources.version],
        operations,
        resources: resources.plurals,
        scope: 'Namespaced',
      },
    ],
  };
}

function clientConfig(path: string, { homeNamespace }: Installation, url: string | undefined): object {
  if (url !== undefined) return { url: new URL(path, url).href };
  return { service: { namespace: homeNamespace, name: webhookServiceName, path, port: 443 } };
}

function service({ homeNamespace }: Installation): KubeObject & { spec: unknown } {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: webhookServiceName, namespace: homeNamespace, labels: ownLabels },
    spec: {
      selector: { ...ownLabels, 'app.kubernetes.io/component': 'controller' },
      ports: [{ name: 'webhook', port: 443, targetPort: webhookContainerPort }],
    },
  };
}
