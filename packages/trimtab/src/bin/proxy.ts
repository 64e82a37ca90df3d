import { startGateway } from '../gateway/gateway.ts';
import { runService } from './run-service.ts';
import { serviceFlags } from './service-flags.ts';

export const program = {
  name: 'trimtab proxy',
  summary:
    'Runs the gateway on your own machine, like `kubectl proxy`. It listens on 127.0.0.1 only and sends all requests as the user of the kubeconfig.',
  flags: {
    kubeconfig: {
      ...serviceFlags.kubeconfig,
      help: "Kubeconfig of the cluster and the user. Defaults to kubectl's kubeconfig.",
    },
    context: serviceFlags.context,
    port: { type: 'port', short: 'p', default: 8001, help: 'Port to listen on; 0 selects a free port.' },
    logLevel: { ...serviceFlags.logLevel, default: 'warn' },
  },
  examples: [
    { does: 'Serve the API of another context on a free port', command: 'trimtab proxy --context test -p 0' },
    {
      does: 'Read the current version of a ConfigMap',
      command: 'trimtab proxy & curl http://127.0.0.1:8001/api/v1/namespaces/default/configmaps/foo/current',
    },
  ],
} as const;

const graceMs = 1_000;

export function run(argv: string[]): Promise<number | undefined> {
  return runService(program, argv, ({ port }) => ({
    closeWithinMs: graceMs + 2_000,
    async start({ access, log, shutdown }) {
      // The proxy serves a single user, so it has no rate limit.
      const limits = { requestsPerSecond: 0, burst: 1 };
      const proxy = await startGateway({
        ...{ access, mode: 'proxy', limits, log },
        ...{ host: '127.0.0.1', port, portFlag: '--port' },
      });
      shutdown.onClose('proxy', () => proxy.close(graceMs));
      process.stdout.write(`Serving ${access.server} at ${proxy.url}\n`);
    },
  }));
}
