import { startLocalCluster } from '../local/local-cluster.ts';
import { parseConfig } from '../platform/config/parse-config.ts';
import { createLogger } from '../platform/log.ts';
import { installShutdown } from '../platform/shutdown.ts';

const program = {
  name: 'trimtab local serve',
  summary: 'A Kubernetes API server in one process, with its objects in SQLite. Real kubectl works with it.',
  flags: {
    stateDir: {
      type: 'string',
      default: './.trimtab',
      placeholder: 'FOLDER',
      help: 'Where objects, certificates and the kubeconfig are kept.',
    },
    host: { type: 'string', default: '127.0.0.1', placeholder: 'ADDRESS', help: 'Where it listens.' },
    port: { type: 'port', default: 6443, help: 'The port for that; 0 lets the system choose.' },
    logLevel: {
      type: 'choice',
      choices: ['debug', 'info', 'warn', 'error'],
      default: 'warn',
      help: 'What to log.',
    },
  },
  examples: [
    { does: 'Start it, and use it from another shell', command: 'trimtab local serve' },
    { does: 'Look at it', command: 'kubectl --kubeconfig .trimtab/admin.kubeconfig get namespaces' },
  ],
} as const;

export async function run(argv: string[]): Promise<number | undefined> {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { stateDir, host, port, logLevel } = parsed.flags;
  const log = createLogger({ program: 'trimtab-local', level: logLevel });
  const shutdown = installShutdown({ log, deadlineMs: 10_000 });
  const server = await startLocalCluster({ stateDir, host, port, portFlag: '--port', log });
  shutdown.onClose('API server', () => server.close());
  process.stdout.write(`The local API server listens on ${server.url}. In another shell:

  export KUBECONFIG=${server.kubeconfigFile}
  kubectl get namespaces

Ctrl-C ends it; what it has is kept in ${stateDir}.
`);
  return undefined;
}
