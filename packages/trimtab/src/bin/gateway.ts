import { sleep, systemClock } from '@trimtab/kube/clock.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { startHealthServer } from '@trimtab/kube/http/health-server.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { registerEventLoopLag, registerProcessMetrics } from '@trimtab/kube/metrics/process-metrics.ts';
import { installShutdown } from '@trimtab/kube/shutdown.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { type RunGatewayOptions, runGateway } from '../gateway/run-gateway.ts';
import { tlsChoice } from '../gateway/tls/tls-choice.ts';
import { serviceFlags } from './service-flags.ts';

const program = {
  name: 'trimtab gateway',
  summary:
    'Serves versions of ConfigMaps and Secrets, and passes everything else on to the API server as whoever asked, so that a kubeconfig can point here.',
  flags: {
    kubeconfig: {
      type: 'string',
      env: 'KUBECONFIG',
      placeholder: 'FILE',
      help: "Which cluster, and who the gateway itself is; in a pod, the pod's own unless told.",
    },
    context: { type: 'string', help: 'The context of the kubeconfig; its current one unless told.' },
    host: { type: 'string', default: '0.0.0.0', placeholder: 'ADDRESS', help: 'Where it listens.' },
    port: { type: 'port', default: 8443, help: 'The port for that; 0 lets the system choose.' },
    tls: { type: 'boolean', default: true, help: 'Serve HTTPS; without it, --host must be of this machine.' },
    tlsHost: {
      type: 'list',
      placeholder: 'NAME',
      help: 'A name or address by which clients reach it, for its own certificate; its Service and localhost are in it.',
    },
    tlsCertificate: {
      type: 'string',
      placeholder: 'FILE',
      help: 'A certificate to serve instead of one of its own authority; replaced when the file is.',
    },
    tlsKey: { type: 'string', placeholder: 'FILE', help: 'The key of that certificate.' },
    clientCa: {
      type: 'string',
      placeholder: 'FILE',
      help: 'Accept client certificates of these authorities (CN is the user, O are groups); needs the right to impersonate.',
    },
    requestsPerSecond: {
      type: 'integer',
      default: 1000,
      min: 0,
      help: 'Of one credential in the long run; four times as many of one address. 0 limits nobody.',
    },
    burst: { type: 'integer', default: 2000, min: 1, help: 'How many of those may come at once.' },
    namespace: {
      type: 'string',
      short: 'n',
      help: 'Serve the pods of this namespace only, as `trimtab manifests --namespace` gives the rights; all unless told.',
    },
    secrets: {
      type: 'boolean',
      default: true,
      help: 'Serve Secrets to pods; without it, the gateway reads none but its own.',
    },
    homeNamespace: {
      type: 'string',
      default: 'trimtab-system',
      help: 'Where its own authority is kept, and published.',
    },
    shutdownDelay: {
      type: 'duration',
      default: '0s',
      help: 'Told to stop, it goes on for so long without being ready: in a cluster, clients still come for a moment.',
    },
    grace: {
      type: 'duration',
      default: '25s',
      help: 'How long requests and exec sessions may go on after that; watches end at once.',
    },
    healthHost: serviceFlags.healthHost,
    healthPort: { type: 'port', default: 8081, help: 'The port for these; 0 lets the system choose.' },
    logLevel: serviceFlags.logLevel,
  },
  examples: [
    {
      does: 'Run it on this machine for the cluster of a kubeconfig',
      command: 'trimtab gateway --host 127.0.0.1 --kubeconfig gateway.kubeconfig',
    },
    {
      does: 'Run it with a certificate of your own',
      command: 'trimtab gateway --tls-certificate tls.crt --tls-key tls.key',
    },
  ],
} as const;

/** Until a shutdown is called too long, beyond the grace of requests. */
const marginMs = 3_000;

export async function run(argv: string[]): Promise<number | undefined> {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { flags } = parsed;
  const tls = tlsChoice(flags);
  const log = createLogger({ program: 'trimtab-gateway', level: flags.logLevel });
  const shutdown = installShutdown({ log, deadlineMs: flags.shutdownDelayMs + flags.graceMs + marginMs });
  const metrics = createRegistry();
  registerProcessMetrics(metrics);
  shutdown.onClose('event loop lag', registerEventLoopLag(metrics));
  const access = await loadAccess({
    ...(flags.kubeconfig !== undefined && { kubeconfig: flags.kubeconfig }),
    ...(flags.context !== undefined && { context: flags.context }),
  });
  const client = httpClient({ access, log, metrics, userAgent: 'trimtab-gateway' });
  shutdown.onClose('client', () => client.close());
  const checks = new HealthChecks();
  let problem: string | undefined = 'the gateway does not listen yet';
  checks.addReadiness('gateway', () => (shutdown.signal.aborted ? 'the gateway stops' : problem));
  const { healthHost: host, healthPort: port } = flags;
  const health = await startHealthServer({
    ...{ host, port, log, checks, registry: metrics },
    portFlag: '--health-port',
  });
  shutdown.onClose('health', () => health.close(1_000));
  const options: RunGatewayOptions = {
    ...{ access, client, log, metrics, tls, signal: shutdown.signal },
    ...{ host: flags.host, port: flags.port, portFlag: '--port', homeNamespace: flags.homeNamespace },
    current: {
      secrets: flags.secrets,
      ...(flags.namespace !== undefined && { namespace: flags.namespace }),
    },
    limits: { requestsPerSecond: flags.requestsPerSecond, burst: flags.burst },
    ...(flags.clientCa !== undefined && { clientCa: flags.clientCa }),
  };
  try {
    const gateway = await runGateway(options);
    shutdown.onClose('gateway', async () => {
      await sleep(systemClock, flags.shutdownDelayMs);
      await gateway.close(flags.graceMs);
    });
    problem = undefined;
    process.stdout.write(`${gateway.url}\n`);
  } catch (error) {
    if (!shutdown.signal.aborted) shutdown.end(error);
  }
  return undefined;
}
