import { printManifests } from '../controller/manifests/print-manifests.ts';
import { parseConfig } from '../platform/config/parse-config.ts';

const program = {
  name: 'trimtab manifests',
  summary:
    'Prints what a cluster needs before the controller starts: the CRD, rights, guards and the webhook. Give it the flags that the controller gets.',
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
  },
  examples: [
    { does: 'Install it', command: 'trimtab manifests | kubectl apply -f -' },
    {
      does: 'For a controller on your machine',
      command: 'trimtab manifests --webhook-url https://10.0.0.7:9443 | kubectl apply -f -',
    },
  ],
} as const;

export function run(argv: string[]): number {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { namespace, webhookUrl, ...flags } = parsed.flags;
  const options = {
    ...flags,
    ...(namespace !== undefined && { namespace }),
    ...(webhookUrl !== undefined && { webhookUrl }),
  };
  process.stdout.write(printManifests(options));
  return 0;
}
