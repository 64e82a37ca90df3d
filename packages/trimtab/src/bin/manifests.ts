import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import { systemNamespace } from '../api/names.ts';
import { printManifests } from '../controller/manifests/print-manifests.ts';
import { gatewayManifests } from '../gateway/manifests/gateway-manifests.ts';

import { managedNamespaces, namespacesFlag } from './managed-namespaces.ts';

export const program = {
  name: 'trimtab manifests',
  summary:
    'Prints the objects that a cluster needs before the controller and the gateway start: CRD, RBAC, admission policies and webhook configuration. Use the same flags as for the controller and the gateway.',
  flags: {
    namespace: {
      ...namespacesFlag,
      help: 'The controller manages only this namespace; may be repeated. Defaults to all namespaces.',
    },
    homeNamespace: {
      type: 'string',
      default: systemNamespace,
      help: 'Namespace of the controller and the gateway.',
    },
    secrets: {
      type: 'boolean',
      default: true,
      help: 'The controller manages Secrets in addition to ConfigMaps.',
    },
    reloaderAnnotations: {
      type: 'boolean',
      help: 'The controller treats annotations of Reloader (reloader.stakater.com) as an opt-in.',
    },
    reloaderNamespaceSelector: {
      type: 'string',
      placeholder: 'SELECTOR',
      help: 'The controller runs with this flag: include the right to watch namespaces.',
    },
    webhook: {
      type: 'boolean',
      default: true,
      help: 'Include the webhook configuration, so no workload starts with the wrong version. With --no-webhook the controller corrects the version after the workload is created.',
    },
    webhookUrl: {
      type: 'string',
      placeholder: 'URL',
      help: 'URL at which the API server reaches the webhook of a controller outside of the cluster. Defaults to its Service.',
    },
    mutatingPolicies: {
      type: 'boolean',
      help: 'Include the MutatingAdmissionPolicies, so that the API server itself changes references to configs in workloads. Requires Kubernetes 1.36 or later, and a controller with the same flag.',
    },
    inject: {
      type: 'boolean',
      help: 'Include the pod webhook, which injects the agent into pods with `trimtab.dev/restart: "false"`. The controller must run with --agent-image. While it does not answer, such pods are not created.',
    },
    notifications: {
      type: 'boolean',
      help: 'The controller runs with this flag: include the right to record which notifications it has delivered.',
    },
    gateway: { type: 'boolean', help: 'Include the objects that the gateway needs.' },
    gatewayClientCertificates: {
      type: 'boolean',
      help: 'The gateway runs with --client-ca: include the gateway, with the right to impersonate users and groups.',
    },
  },
  examples: [
    { does: 'Install Trimtab', command: 'trimtab manifests | kubectl apply -f -' },
    {
      does: 'Install for a controller on your machine',
      command: 'trimtab manifests --webhook-url https://10.0.0.7:9443 | kubectl apply -f -',
    },
    { does: 'Install with the gateway', command: 'trimtab manifests --gateway | kubectl apply -f -' },
  ],
} as const;

export function run(argv: string[]): number {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { namespace, webhookUrl, reloaderNamespaceSelector, gateway, gatewayClientCertificates, ...flags } =
    parsed.flags;
  const namespaces = managedNamespaces(namespace);
  const options = {
    ...flags,
    ...(namespaces !== undefined && { namespaces }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    watchNamespaces: reloaderNamespaceSelector !== undefined,
  };
  const ofGateway = gatewayManifests({ ...options, clientCertificates: gatewayClientCertificates });
  process.stdout.write(printManifests(options, gateway || gatewayClientCertificates ? ofGateway : []));
  return 0;
}
