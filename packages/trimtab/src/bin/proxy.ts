import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { installShutdown } from '@trimtab/kube/shutdown.ts';
import { startGateway } from '../gateway/gateway.ts';
import { serviceFlags } from './service-flags.ts';

const program = {
  name: 'trimtab proxy',
  summary:
    'The gateway for one person on their own machine, as `kubectl proxy`: it listens here only, and everything is asked as the user of the kubeconfig.',
  flags: {
    kubeconfig: {
      type: 'string',
      env: 'KUBECONFIG',
      placeholder: 'FILE',
      help: 'Which cluster, and as whom; as kubectl finds it unless told.',
    },
    context: { type: 'string', help: 'The context of the kubeconfig; its current one unless told.' },
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

export async function run(argv: string[]): Promise<number | undefined> {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { kubeconfig, context, port, logLevel } = parsed.flags;
  const log = createLogger({ program: 'trimtab-proxy', level: logLevel });
  const shutdown = installShutdown({ log, deadlineMs: graceMs + 2_000 });
  const access = await loadAccess({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  });
  // One person, who is not kept from their own cluster.
  const limits = { requestsPerSecond: 0, burst: 1 };
  const proxy = await startGateway({
    ...{ access, mode: 'proxy', limits, log },
    ...{ host: '127.0.0.1', port, portFlag: '--port' },
  });
  shutdown.onClose('proxy', () => proxy.close(graceMs));
  process.stdout.write(`Serves ${access.server} at ${proxy.url}\n`);
  return undefined;
}
