import { enableCompileCache } from 'node:module';
import { TrimtabError } from '../api/errors.ts';

// Types are stripped as files load; what was stripped once need not be again, which saves time and memory.
enableCompileCache();

interface Command {
  /** The exit code; undefined when it goes on running. */
  run(args: string[]): number | undefined | Promise<number | undefined>;
}

/** The one program of Trimtab. Each command is loaded when it is called, so that none pays for the others. */
const commands: Record<string, { does: string; load: () => Promise<Command> }> = {
  controller: {
    does: 'make every edit of a managed config a version, and roll it out',
    load: () => import('./controller.ts'),
  },
  gateway: {
    does: 'serve versions over HTTP, and everything else of the cluster',
    load: () => import('./gateway.ts'),
  },
  proxy: {
    does: 'the gateway on your own machine, as the user of your kubeconfig',
    load: () => import('./proxy.ts'),
  },
  manifests: {
    does: 'print what a cluster needs before controller and gateway start',
    load: () => import('./manifests.ts'),
  },
  local: { does: 'parts of the local cluster: its API server, its store', load: () => import('./local.ts') },
  up: {
    does: 'a cluster on this machine with Trimtab in it, and a demo: `npm start`',
    load: () => import('./up.ts'),
  },
};

const help = `Trimtab releases Kubernetes configuration the way Kubernetes releases code.

Usage: trimtab COMMAND [flags]

${Object.entries(commands)
  .map(([name, { does }]) => `  ${name.padEnd(12)}${does}`)
  .join('\n')}

\`trimtab COMMAND --help\` tells more.
`;

const [name = '--help', ...args] = process.argv.slice(2);
try {
  process.exitCode = await run(name, args);
} catch (error) {
  if (!(error instanceof TrimtabError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(error.exitCode);
}

async function run(name: string, args: string[]): Promise<number | undefined> {
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(help);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const known = Object.keys(commands).join(', ');
    throw new TrimtabError('ConfigInvalid', `there is no command '${name}'; there are ${known}`);
  }
  const { run: start } = await command.load();
  return start(args);
}
