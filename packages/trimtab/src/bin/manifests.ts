import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import { printManifests } from '../controller/manifests/print-manifests.ts';
import { gatewayManifests } from '../gateway/manifests/gateway-manifests.ts';

const program = {
  name: 'trimtab manifests',
  summary:
    'Prints what a cluster needs before controller and gateway start: the CRD, rights, guards and the webhook. Give it the flags that they get.',
  flags: {
    namespace: { type: 'string', short: 'n', help: 'For a controller of this namespace only.' },
    secrets: { type: 'boolean', default: true, help: 'The controller manages Secrets, too.' },
    reloaderAnnotations: {
      type: 'boolean',
      help: "The controller takes Reloader's annotations for an opt-in.",
    },
    webhook: {
      type: 'boolean',
      default: true,
      help: 'With the webhook, a workload never starts on the wrong version; without it, the controller repairs that.',
    },
    webhookUrl: {
      type: 'string',
      placeholder: 'URL',
      help: 'Where API servers reach a controller outside of the cluster; through its Service unless told.',
    },
    gateway: { type: 'boolean', help: 'What the gateway needs, too.' },
    gatewayClientCertificates: {
      type: 'boolean',
      help: 'The gateway runs with --client-ca: it may then impersonate users and groups.',
    },
  },
  examples: [
    { does: 'Install it', command: 'trimtab manifests | kubectl apply -f -' },
    {
      does: 'For a controller on your machine',
      command: 'trimtab manifests --webhook-url https://10.0.0.7:9443 | kubectl apply -f -',
    },
    { does: 'With the gateway', command: 'trimtab manifests --gateway | kubectl apply -f -' },
  ],
} as const;

export function run(argv: string[]): number {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { namespace, webhookUrl, gateway, gatewayClientCertificates, ...flags } = parsed.flags;
  const options = {
    ...flags,
    ...(namespace !== undefined && { namespace }),
    ...(webhookUrl !== undefined && { webhookUrl }),
  };
  const ofGateway = gatewayManifests({ ...options, clientCertificates: gatewayClientCertificates });
  process.stdout.write(printManifests(options, gateway || gatewayClientCertificates ? ofGateway : []));
  return 0;
}
