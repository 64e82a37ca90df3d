import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { type LeaseTiming, leaseTiming } from '@trimtab/kube/lease/timing.ts';
import { gatewayServiceName } from '../api/names.ts';
import { runController } from '../controller/controller.ts';
import type { InjectionOptions } from '../controller/injection/injection-options.ts';
import type { ReferenceWay } from '../core/references/reference-way.ts';
import { managedNamespaces, namespacesFlag } from './managed-namespaces.ts';
import { reloaderFlagProblems, reloaderScope } from './reloader-scope.ts';
import { runService, type ServiceHost } from './run-service.ts';
import { serviceFlags } from './service-flags.ts';

export const program = {
  name: 'trimtab controller',
  summary:
    'Creates a version for every edit of a managed ConfigMap or Secret, and rolls it out to the workloads that use it.',
  flags: {
    kubeconfig: {
      ...serviceFlags.kubeconfig,
      help: "Kubeconfig of the cluster. Defaults to kubectl's kubeconfig, or to the service account in a pod.",
    },
    context: serviceFlags.context,
    namespace: {
      ...namespacesFlag,
      help: 'Manage only this namespace; may be repeated. Defaults to all namespaces.',
    },
    homeNamespace: {
      type: 'string',
      default: 'trimtab-system',
      help: 'Namespace of the controller: of its Lease, of the certificate of its webhook, and of the Service of the webhook.',
    },
    leaseDuration: {
      type: 'duration',
      default: '15s',
      help: 'Time without a renewal after which a standby controller acquires the Lease.',
    },
    renewDeadline: {
      type: 'duration',
      default: '10s',
      help: 'Give up leadership after failing to renew for this long; must be shorter than --lease-duration.',
    },
    retryPeriod: {
      type: 'duration',
      default: '2s',
      help: 'Interval between attempts to acquire or renew the Lease.',
    },
    secrets: { type: 'boolean', default: true, help: 'Manage Secrets in addition to ConfigMaps.' },
    reloaderAnnotations: {
      type: 'boolean',
      help: 'Treat annotations of Reloader (reloader.stakater.com) as an opt-in.',
    },
    reloaderNamespaceSelector: {
      type: 'string',
      placeholder: 'SELECTOR',
      help: 'With --reloader-annotations: annotations of Reloader opt in only in namespaces with these labels. Requires the rights of `trimtab manifests` with the same flag. Defaults to all namespaces.',
    },
    reloaderResourceLabelSelector: {
      type: 'string',
      placeholder: 'SELECTOR',
      help: 'With --reloader-annotations: annotations of Reloader opt in only for ConfigMaps and Secrets with these labels. Defaults to all of them.',
    },
    coalesce: {
      type: 'duration',
      default: '1s',
      help: 'Edits of a config within this time become one version.',
    },
    removeUnusedAfter: {
      type: 'duration',
      default: '5m',
      help: 'Delete a ConfigRollout and its versions when its config is gone and nothing references them for this time. 0 keeps them.',
    },
    webhook: {
      type: 'boolean',
      help: 'Serve the admission webhook, so no workload starts with the wrong version. Requires the webhook configuration of `trimtab manifests`.',
    },
    webhookHost: { type: 'string', default: '0.0.0.0', help: 'Address for the webhook to listen on.' },
    webhookPort: { type: 'port', default: 9443, help: 'Port for the webhook to listen on.' },
    webhookUrl: {
      type: 'string',
      placeholder: 'URL',
      help: 'URL at which the API server reaches the webhook; must be the same as for `trimtab manifests`. Defaults to its Service.',
    },
    mutatingPolicies: {
      type: 'boolean',
      help: 'Change references to configs by the MutatingAdmissionPolicies of `trimtab manifests --mutating-policies`. Without them and without --webhook, the controller changes the references itself and gives the fields back to their managers.',
    },
    release: {
      type: 'choice',
      choices: ['auto', 'manual', 'locked'],
      default: 'auto',
      help: 'Release mode of configs that opt in, where neither the annotation trimtab.dev/release of the config nor that of its namespace sets one.',
    },
    references: {
      type: 'choice',
      choices: ['template', 'admission'],
      default: 'template',
      help: 'How workloads get versions unless their annotation trimtab.dev/references says otherwise. template: the pod template names them. admission: the pod template stays as it was written, and admission writes the versions into each pod; requires --webhook or --mutating-policies.',
    },
    policiesSettle: {
      type: 'duration',
      default: '5s',
      help: 'Time for which new policies of pods have to exist before the controller relies on them. API servers enforce a new policy about a second after they have stored it.',
    },
    agentImage: {
      type: 'string',
      placeholder: 'IMAGE',
      help: 'Inject this image of the agent into pods with `trimtab.dev/restart: "false"`, so that they are reloaded without a restart. Requires --webhook, and the pod webhook of `trimtab manifests --inject`. Without this flag such pods are replaced.',
    },
    gatewayUrl: {
      type: 'string',
      placeholder: 'URL',
      help: 'URL at which injected agents reach the gateway. Defaults to its Service in the home namespace.',
    },
    gatewayCaFile: {
      type: 'string',
      placeholder: 'FILE',
      help: 'PEM file with the certificate authority of the gateway, for injected agents. Defaults to the ConfigMap that the gateway publishes.',
    },
    notifications: {
      type: 'string',
      placeholder: 'FILE',
      help: 'File with web hooks that receive the outcomes of rollouts, as CloudEvents or as messages for Slack or Microsoft Teams. Read again when it changes. Requires the rights of `trimtab manifests` with the same flag. See the guide *Notifications*.',
    },
    healthHost: serviceFlags.healthHost,
    healthPort: { ...serviceFlags.healthPort, default: 8080 },
    logLevel: serviceFlags.logLevel,
  },
  validate: ({ flags }: { flags: Parameters<typeof reloaderFlagProblems>[0] }) => reloaderFlagProblems(flags),
  examples: [
    {
      does: 'Run the controller for the cluster of a kubeconfig',
      command: 'trimtab controller --kubeconfig ~/.kube/config',
    },
    {
      does: 'Manage one namespace, without Secrets',
      command: 'trimtab controller --namespace shop --no-secrets',
    },
  ],
} as const;

const releaseModes = { auto: 'Auto', manual: 'Manual', locked: 'Locked' } as const;

function timingOf({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaseTiming): LeaseTiming {
  try {
    return leaseTiming({ leaseDurationMs, renewDeadlineMs, retryPeriodMs });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `invalid combination of --lease-duration, --renew-deadline and --retry-period: ${error.message}`;
    throw new OperationalError(errors.ConfigInvalid, message);
  }
}

function injectionFlags(
  flags: {
    webhook: boolean;
    homeNamespace: string;
    gatewayUrl?: string | undefined;
    gatewayCaFile?: string | undefined;
  },
  agentImage: string,
): InjectionOptions {
  if (!flags.webhook)
    throw new OperationalError(
      errors.ConfigInvalid,
      '--agent-image requires --webhook: the agent is injected at admission',
    );
  const { homeNamespace, gatewayCaFile } = flags;
  const { gatewayUrl = `https://${gatewayServiceName}.${homeNamespace}.svc` } = flags;
  return { agentImage, gatewayUrl, ...(gatewayCaFile !== undefined && { gatewayCaFile }) };
}

function referencesFlag(flags: {
  references: ReferenceWay;
  webhook: boolean;
  mutatingPolicies: boolean;
}): ReferenceWay {
  if (flags.references === 'admission' && !flags.webhook && !flags.mutatingPolicies)
    throw new OperationalError(
      errors.ConfigInvalid,
      '--references admission requires --webhook or --mutating-policies: without them nothing writes versions into pods',
    );
  return flags.references;
}

export function run(argv: string[], host: ServiceHost = process): Promise<number | undefined> {
  return runService(
    program,
    argv,
    (flags) => ({
      closeWithinMs: 10_000,
      start({ client, log, metrics, checks, shutdown }) {
        const namespaces = managedNamespaces(flags.namespace);
        const running = runController({
          client,
          log,
          metrics,
          checks,
          homeNamespace: flags.homeNamespace,
          leaseTiming: timingOf(flags),
          secrets: flags.secrets,
          reloaderAnnotations: flags.reloaderAnnotations,
          reloaderScope: reloaderScope(flags),
          mutatingPolicies: flags.mutatingPolicies,
          references: referencesFlag(flags),
          release: releaseModes[flags.release],
          ...(flags.agentImage !== undefined && { injection: injectionFlags(flags, flags.agentImage) }),
          policiesSettleMs: flags.policiesSettleMs,
          coalesceMs: flags.coalesceMs,
          removeUnusedAfterMs: flags.removeUnusedAfterMs,
          ...(flags.notifications !== undefined && { notifications: flags.notifications }),
          signal: shutdown.signal,
          ...(flags.webhook && {
            webhook: {
              host: flags.webhookHost,
              port: flags.webhookPort,
              portFlag: '--webhook-port',
              ...(flags.webhookUrl !== undefined && { webhookUrl: flags.webhookUrl }),
            },
          }),
          onOverdue: () => host.exit(1),
          ...(namespaces !== undefined && { namespaces }),
        });
        shutdown.onClose('controller', () => running.catch(() => {}));
        running.catch((error: unknown) => {
          if (!shutdown.signal.aborted) shutdown.end(error);
        });
      },
    }),
    host,
  );
}
