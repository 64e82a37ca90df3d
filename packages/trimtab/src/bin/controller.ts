import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { type LeaseTiming, leaseTiming } from '@trimtab/kube/lease/timing.ts';
import { runController } from '../controller/controller.ts';
import { runService } from './run-service.ts';
import { serviceFlags } from './service-flags.ts';

const program = {
  name: 'trimtab controller',
  summary:
    'Makes every edit of a managed ConfigMap or Secret a version, and rolls it out over the workloads that use it.',
  flags: {
    kubeconfig: {
      ...serviceFlags.kubeconfig,
      help: "Which cluster; in a pod, the pod's own unless told.",
    },
    context: serviceFlags.context,
    namespace: { type: 'string', short: 'n', help: 'Manage this namespace only.' },
    homeNamespace: { type: 'string', default: 'trimtab-system', help: 'Where its Lease is.' },
    leaseDuration: {
      type: 'duration',
      default: '15s',
      help: 'How long a leader that is gone keeps the others waiting.',
    },
    renewDeadline: {
      type: 'duration',
      default: '10s',
      help: 'A leader that could not renew its Lease for so long stops; less than the above.',
    },
    retryPeriod: { type: 'duration', default: '2s', help: 'Between two looks at the Lease.' },
    secrets: { type: 'boolean', default: true, help: 'Manage Secrets, too.' },
    reloaderAnnotations: { type: 'boolean', help: "Take Reloader's annotations for an opt-in." },
    coalesce: { type: 'duration', default: '1s', help: 'Edits within this time become one version.' },
    webhook: {
      type: 'boolean',
      help: 'Serve the admission webhook, so that a workload never starts on the wrong version; see `trimtab manifests`.',
    },
    webhookHost: { type: 'string', default: '0.0.0.0', help: 'Where the webhook listens.' },
    webhookPort: { type: 'port', default: 9443, help: 'The port for that.' },
    webhookUrl: {
      type: 'string',
      placeholder: 'URL',
      help: 'Where API servers reach the webhook, if not through its Service; as given to `trimtab manifests`.',
    },
    healthHost: serviceFlags.healthHost,
    healthPort: { ...serviceFlags.healthPort, default: 8080 },
    logLevel: serviceFlags.logLevel,
  },
  examples: [
    {
      does: 'Run it against the cluster of a kubeconfig',
      command: 'trimtab controller --kubeconfig ~/.kube/config',
    },
    {
      does: 'Manage one namespace, and no Secrets',
      command: 'trimtab controller --namespace shop --no-secrets',
    },
  ],
} as const;

function timingOf({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaseTiming): LeaseTiming {
  try {
    return leaseTiming({ leaseDurationMs, renewDeadlineMs, retryPeriodMs });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `--lease-duration, --renew-deadline and --retry-period cannot work together: ${error.message}`;
    throw new OperationalError(errors.ConfigInvalid, message);
  }
}

export function run(argv: string[]): Promise<number | undefined> {
  return runService(program, argv, (flags) => ({
    closeWithinMs: 10_000,
    start({ client, log, metrics, checks, shutdown }) {
      const running = runController({
        client,
        log,
        metrics,
        checks,
        homeNamespace: flags.homeNamespace,
        leaseTiming: timingOf(flags),
        secrets: flags.secrets,
        reloaderAnnotations: flags.reloaderAnnotations,
        coalesceMs: flags.coalesceMs,
        signal: shutdown.signal,
        ...(flags.webhook && {
          webhook: {
            host: flags.webhookHost,
            port: flags.webhookPort,
            portFlag: '--webhook-port',
            ...(flags.webhookUrl !== undefined && { webhookUrl: flags.webhookUrl }),
          },
        }),
        onOverdue: () => process.exit(1),
        ...(flags.namespace !== undefined && { namespace: flags.namespace }),
      });
      shutdown.onClose('controller', () => running.catch(() => {}));
      running.catch((error: unknown) => {
        if (!shutdown.signal.aborted) shutdown.end(error);
      });
    },
  }));
}
