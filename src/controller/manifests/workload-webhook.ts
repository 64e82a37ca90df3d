import { annotations, labels } from '../../api/names.ts';
import type { KubeObject } from '../../api/wire.ts';
import { ownLabels } from './controller-identity.ts';
import { cel } from './guard.ts';
import {
  controllerUser,
  installation,
  type ManifestOptions,
  namespaceSelector,
  systemNamespace,
  webhookContainerPort,
  webhookPath,
  webhookServiceName,
} from './installation.ts';

/**
 * Asks the controller about workloads on their way in. It can never keep one out: what it does not answer in time
 * is admitted as it is, and the controller repairs it afterwards. The controller puts its own `caBundle` in.
 */
export function workloadWebhook(options: ManifestOptions): KubeObject[] {
  const names = installation(options.namespace);
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: names.webhookConfiguration, labels: ownLabels },
    webhooks: [
      {
        name: names.webhook,
        admissionReviewVersions: ['v1'],
        clientConfig: clientConfig(options.webhookUrl),
        failurePolicy: 'Ignore',
        sideEffects: 'NoneOnDryRun',
        timeoutSeconds: 3,
        matchPolicy: 'Equivalent',
        // Another webhook may add a container that references a config; ours changes nothing the second time.
        reinvocationPolicy: 'IfNeeded',
        namespaceSelector: namespaceSelector(options.namespace),
        rules: [
          {
            apiGroups: ['apps'],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['deployments', 'statefulsets', 'daemonsets'],
            scope: 'Namespaced',
          },
        ],
        matchConditions: matchConditions(options.reloaderAnnotations ?? false),
      },
    ],
  };
  return options.webhookUrl === undefined ? [service(), configuration] : [configuration];
}

/**
 * Only workloads that can be managed call the controller. They say so by annotation, or carry the label that their
 * first assignment left. An owner reference on a config needs no mark of its own here: it names the workload's uid,
 * so the workload exists, and from its adoption on it has the label.
 */
function matchConditions(reloader: boolean): { name: string; expression: string }[] {
  const marked = (object: string) => {
    const found = `${object}.metadata.?annotations.orValue({})`;
    const marks = [
      `${cel(annotations.manage)} in ${found}`,
      `${cel(labels.assigned)} in ${object}.metadata.?labels.orValue({})`,
      ...(reloader ? [`${found}.exists(k, k.contains('reloader.stakater.com/'))`] : []),
    ];
    return `(${marks.join(' || ')})`;
  };
  const label = (object: string) => `${object}.metadata.?labels[?${cel(labels.assigned)}].orValue('')`;
  return [
    { name: 'not-ours', expression: `request.userInfo.username != ${cel(controllerUser)}` },
    {
      name: 'can-be-managed',
      expression: `${marked('object')} || (oldObject != null && ${marked('oldObject')})`,
    },
    {
      name: 'changes-what-it-runs',
      expression: `oldObject == null || object.spec.template != oldObject.spec.template || ${label('object')} != ${label('oldObject')}`,
    },
  ];
}

function clientConfig(url: string | undefined): object {
  if (url !== undefined) return { url: new URL(webhookPath, url).href };
  return { service: { namespace: systemNamespace, name: webhookServiceName, path: webhookPath, port: 443 } };
}

function service(): KubeObject & { spec: unknown } {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: webhookServiceName, namespace: systemNamespace, labels: ownLabels },
    spec: {
      selector: { ...ownLabels, 'app.kubernetes.io/component': 'controller' },
      ports: [{ name: 'webhook', port: 443, targetPort: webhookContainerPort }],
    },
  };
}
