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
      'Runs a Kubernetes API server in one process. Objects are stored in SQLite. Compatible with kubectl.',
    flags: {
      stateDir: {
        type: 'string',
        default: stateDir,
        placeholder: 'FOLDER',
        help: 'Folder for objects, certificates and the kubeconfig.',
      },
      host: { type: 'string', default: '127.0.0.1', placeholder: 'ADDRESS', help: 'Address to listen on.' },
      port: { type: 'port', default: 6443, help: 'Port to listen on; 0 selects a free port.' },
      logLevel: {
        type: 'choice',
        choices: ['debug', 'info', 'warn', 'error'],
        default: 'warn',
        help: 'Minimum level of log messages.',
      },
    },
    examples: [
      { does: 'Start the API server', command: `${name} serve` },
      {
        does: 'Use it from another shell',
        command: `kubectl --kubeconfig ${stateDir}/admin.kubeconfig get namespaces`,
      },
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
  process.stdout.write(`The local API server is listening on ${server.url}. In another shell, run:

  export KUBECONFIG=${server.kubeconfigFile}
  kubectl get namespaces

Press Ctrl-C to stop the server. Its state is kept in ${stateDir}.
`);
  return undefined;
}
