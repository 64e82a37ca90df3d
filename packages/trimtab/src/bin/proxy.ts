import { startGateway } from '../gateway/gateway.ts';
import { runService } from './run-service.ts';
import { serviceFlags } from './service-flags.ts';

const program = {
  name: 'trimtab proxy',
  summary:
    'The gateway for one person on their own machine, as `kubectl proxy`: it listens here only, and everything is asked as the user of the kubeconfig.',
  flags: {
    kubeconfig: {
      ...serviceFlags.kubeconfig,
      help: 'Which cluster, and as whom; as kubectl finds it unless told.',
    },
    context: serviceFlags.context,
    port: { type: 'port', short: 'p', default: 8001, help: 'Where it listens; 0 lets the system choose.' },
    logLevel: { ...serviceFlags.logLevel, default: 'warn' },
  },
  examples: [
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
      // One person, who is not kept from their own cluster.
      const limits = { requestsPerSecond: 0, burst: 1 };
      const proxy = await startGateway({
        ...{ access, mode: 'proxy', limits, log },
        ...{ host: '127.0.0.1', port, portFlag: '--port' },
      });
      shutdown.onClose('proxy', () => proxy.close(graceMs));
      process.stdout.write(`Serves ${access.server} at ${proxy.url}\n`);
    },
  }));
}
