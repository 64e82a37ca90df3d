import { sleep, systemClock } from '@trimtab/kube/clock.ts';
import { registerEventLoopLag } from '@trimtab/kube/metrics/process-metrics.ts';
import { runGateway } from '../gateway/run-gateway.ts';
import { tlsChoice } from '../gateway/tls/tls-choice.ts';
import { runService } from './run-service.ts';
import { serviceFlags } from './service-flags.ts';

const program = {
  name: 'trimtab gateway',
  summary:
    'Serves versions of ConfigMaps and Secrets, and passes everything else on to the API server as whoever asked, so that a kubeconfig can point here.',
  flags: {
    kubeconfig: {
      ...serviceFlags.kubeconfig,
      help: "Which cluster, and who the gateway itself is; in a pod, the pod's own unless told.",
    },
    context: serviceFlags.context,
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
    healthPort: { ...serviceFlags.healthPort, default: 8081 },
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

export function run(argv: string[]): Promise<number | undefined> {
  return runService(program, argv, (flags) => {
    const tls = tlsChoice(flags);
    return {
      closeWithinMs: flags.shutdownDelayMs + flags.graceMs + marginMs,
      async start({ access, client, log, metrics, checks, shutdown }) {
        let problem: string | undefined = 'the gateway does not listen yet';
        checks.addReadiness('gateway', () => (shutdown.signal.aborted ? 'the gateway stops' : problem));
        shutdown.onClose('event loop lag', registerEventLoopLag(metrics));
        try {
          const gateway = await runGateway({
            ...{ access, client, log, metrics, tls, signal: shutdown.signal },
            ...{ host: flags.host, port: flags.port, portFlag: '--port', homeNamespace: flags.homeNamespace },
            current: {
              secrets: flags.secrets,
              ...(flags.namespace !== undefined && { namespace: flags.namespace }),
            },
            limits: { requestsPerSecond: flags.requestsPerSecond, burst: flags.burst },
            ...(flags.clientCa !== undefined && { clientCa: flags.clientCa }),
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
