import { sleep, systemClock } from '@trimtab/kube/clock.ts';
import { registerEventLoopLag } from '@trimtab/kube/metrics/process-metrics.ts';
import { trustedProxies, wideBlocks } from '../gateway/client/trusted-proxies.ts';
import { runGateway } from '../gateway/run-gateway.ts';
import { tlsChoice } from '../gateway/tls/tls-choice.ts';
import { upstreamHealth } from '../gateway/upstream/upstream-health.ts';
import { managedNamespaces, namespacesFlag } from './managed-namespaces.ts';
import { runService } from './run-service.ts';
import { serviceFlags } from './service-flags.ts';

export const program = {
  name: 'trimtab gateway',
  summary:
    "Serves versions of ConfigMaps and Secrets, and forwards all other requests to the API server with the caller's credentials. A kubeconfig can name the gateway as its server.",
  flags: {
    kubeconfig: {
      ...serviceFlags.kubeconfig,
      help: "Kubeconfig of the cluster, with the gateway's own credentials. Defaults to kubectl's kubeconfig, or to the service account in a pod.",
    },
    context: serviceFlags.context,
    host: { type: 'string', default: '0.0.0.0', placeholder: 'ADDRESS', help: 'Address to listen on.' },
    port: { type: 'port', default: 8443, help: 'Port to listen on; 0 selects a free port.' },
    tls: {
      type: 'boolean',
      default: true,
      help: 'Serve HTTPS. --no-tls requires a loopback --host such as 127.0.0.1.',
    },
    tlsHost: {
      type: 'list',
      placeholder: 'NAME',
      help: "Additional DNS name or IP address for the certificate of the gateway's own authority. Its Service and localhost are always included.",
    },
    tlsCertificate: {
      type: 'string',
      placeholder: 'FILE',
      help: "Certificate to serve instead of one from the gateway's own authority. Reloaded when the file changes.",
    },
    tlsKey: { type: 'string', placeholder: 'FILE', help: 'Private key of --tls-certificate.' },
    clientCa: {
      type: 'string',
      placeholder: 'FILE',
      help: 'Accept client certificates of these authorities (CN is the user, O are the groups). Requires the right to impersonate users and groups.',
    },
    requestsPerSecond: {
      type: 'integer',
      default: 1000,
      min: 0,
      help: 'Sustained requests per second per credential, and four times as many per address; 0 disables the limit.',
    },
    burst: {
      type: 'integer',
      default: 2000,
      min: 1,
      help: 'Requests that a credential may send at once after an idle period; four times as many per address.',
    },
    trustedProxies: {
      type: 'list',
      placeholder: 'CIDR',
      help: 'Address, or small block such as 192.0.2.16/28, of the load balancers whose X-Forwarded-For names the client: never a block that contains clients or pods, which could then claim any address. By default the header is ignored.',
    },
    maxConnections: {
      type: 'integer',
      default: 20_000,
      min: 1,
      help: 'Open connections; a surplus connection is closed at once.',
    },
    maxConnectionsPerAddress: {
      type: 'integer',
      default: 12_000,
      min: 1,
      help: 'Open connections of one address, which may be that of many clients behind a NAT gateway or a load balancer.',
    },
    maxUnusedConnections: {
      type: 'integer',
      default: 1_000,
      min: 4,
      help: 'Open connections that have not sent a request yet, of which one address may have a quarter. Above the limit, the oldest is closed.',
    },
    maxRequestsInFlight: {
      type: 'integer',
      default: 2_000,
      min: 4,
      help: 'Requests in progress, of which one address may have half and one credential a quarter. Watches and other streams are not counted.',
    },
    maxStreams: {
      type: 'integer',
      default: 24_000,
      min: 4,
      help: 'Watches, logs, exec sessions and port-forwards that are open, of which one address may have half and one credential a quarter.',
    },
    upstreamTimeout: {
      type: 'duration',
      min: '1ms',
      help: 'Time for the API server to begin a response. Defaults to 65 s for forwarded requests and 30 s for requests of the gateway itself.',
    },
    maxStreamsPerPod: {
      type: 'integer',
      default: 32,
      min: 1,
      help: 'Watches of current versions that a pod may have open at the same time.',
    },
    namespace: {
      ...namespacesFlag,
      help: 'Serve only the pods of this namespace, to which `trimtab manifests --namespace` grants access; may be repeated. Defaults to all namespaces.',
    },
    secrets: {
      type: 'boolean',
      default: true,
      help: 'Serve Secrets to pods. With --no-secrets the gateway reads no Secrets except its own.',
    },
    homeNamespace: {
      type: 'string',
      default: 'trimtab-system',
      help: "Namespace of the Secret with the gateway's own authority and of the ConfigMap that publishes it.",
    },
    accessLog: {
      type: 'choice',
      choices: ['all', 'failures', 'off'],
      default: 'all',
      help: 'Requests to log, one JSON line each: all, only those with a status of 400 or above, or none.',
    },
    accessLogSample: {
      type: 'integer',
      default: 1,
      min: 1,
      help: 'Log one of this many requests that succeed. Failed requests are always logged.',
    },
    shutdownDelay: {
      type: 'duration',
      default: '0s',
      help: 'Keep serving for this long after a termination signal while reporting not ready, because clients still connect until the endpoint is removed.',
    },
    grace: {
      type: 'duration',
      default: '25s',
      help: 'Time for requests and exec sessions to finish after --shutdown-delay; watches end at once.',
    },
    healthHost: serviceFlags.healthHost,
    healthPort: { ...serviceFlags.healthPort, default: 8081 },
    logLevel: serviceFlags.logLevel,
  },
  examples: [
    {
      does: 'Run the gateway on this machine for the cluster of a kubeconfig',
      command: 'trimtab gateway --host 127.0.0.1 --kubeconfig gateway.kubeconfig',
    },
    {
      does: 'Run the gateway with your own certificate',
      command: 'trimtab gateway --tls-certificate tls.crt --tls-key tls.key',
    },
  ],
} as const;

/** Time beyond --shutdown-delay and --grace after which a shutdown is overdue. */
const marginMs = 3_000;

export function run(argv: string[]): Promise<number | undefined> {
  return runService(program, argv, (flags) => {
    const tls = tlsChoice(flags);
    const isTrusted = trustedProxies(flags.trustedProxies);
    return {
      closeWithinMs: flags.shutdownDelayMs + flags.graceMs + marginMs,
      async start({ access, client, log, metrics, checks, shutdown }) {
        let problem: string | undefined = 'the gateway is not listening yet';
        checks.addReadiness('gateway', () =>
          shutdown.signal.aborted ? 'the gateway is shutting down' : problem,
        );
        checks.addReadiness(
          'api-server',
          upstreamHealth({ client, clock: systemClock, log, signal: shutdown.signal }),
        );
        shutdown.onClose('event loop lag', registerEventLoopLag(metrics));
        for (const block of wideBlocks(flags.trustedProxies))
          log.warn(
            { flag: '--trusted-proxies', block },
            'block of trusted proxies is wide; a client or pod in it can claim any address',
          );
        const namespaces = managedNamespaces(flags.namespace);
        try {
          const gateway = await runGateway({
            ...{ access, client, log, metrics, tls, signal: shutdown.signal },
            ...{ host: flags.host, port: flags.port, portFlag: '--port', homeNamespace: flags.homeNamespace },
            current: {
              secrets: flags.secrets,
              maxStreamsPerPod: flags.maxStreamsPerPod,
              ...(namespaces !== undefined && { namespaces }),
            },
            limits: { requestsPerSecond: flags.requestsPerSecond, burst: flags.burst },
            trustedProxies: isTrusted,
            load: {
              maxConnections: flags.maxConnections,
              maxConnectionsPerAddress: flags.maxConnectionsPerAddress,
              maxUnusedConnections: flags.maxUnusedConnections,
              maxRequestsInFlight: flags.maxRequestsInFlight,
              maxStreams: flags.maxStreams,
            },
            accessLog: { mode: flags.accessLog, sample: flags.accessLogSample },
            ...(flags.clientCa !== undefined && { clientCa: flags.clientCa }),
            ...(flags.upstreamTimeoutMs !== undefined && { answerTimeoutMs: flags.upstreamTimeoutMs }),
          });
          shutdown.onClose('gateway', async () => {
            await sleep(systemClock, flags.shutdownDelayMs);
            await gateway.close(flags.graceMs);
          });
          problem = undefined;
          process.stdout.write(`${gateway.url}\n`);
        } catch (error) {
          if (!shutdown.signal.aborted) shutdown.end(error);
        }
      },
    };
  });
}
