import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { Command } from '@trimtab/kube/flags/run-command.ts';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { installShutdown } from '@trimtab/kube/shutdown.ts';
import { startLocalCluster } from '../local-cluster.ts';
import type { CommandPlace } from './commands.ts';

const programAt = ({ name, stateDir }: CommandPlace) =>
  ({
    name: `${name} serve`,
    summary:
      'A Kubernetes API server in one process, with its objects in SQLite. Real kubectl works with it.',
    flags: {
      stateDir: {
        type: 'string',
        default: stateDir,
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
      { does: 'Start it, and use it from another shell', command: `${name} serve` },
      { does: 'Look at it', command: `kubectl --kubeconfig ${stateDir}/admin.kubeconfig get namespaces` },
    ],
  }) as const;

export function serveCommand(place: CommandPlace): Command {
  return { run: (argv) => serve(place, argv) };
}

async function serve(place: CommandPlace, argv: string[]): Promise<number | undefined> {
  const parsed = parseConfig(programAt(place), { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { stateDir, host, port, logLevel } = parsed.flags;
  const log = createLogger({ program: 'local-cluster', level: logLevel });
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
