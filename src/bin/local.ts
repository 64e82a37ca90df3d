import { TrimtabError } from '../api/errors.ts';

interface Command {
  run(argv: string[]): number | undefined | Promise<number | undefined>;
}

/** Parts of the local cluster, each by itself. */
const commands: Record<string, { does: string; load: () => Promise<Command> }> = {
  serve: {
    does: 'a bare local API server, what `npm run local` runs',
    load: () => import('./local-serve.ts'),
  },
  get: { does: 'what the store of a local cluster has under a key', load: () => import('./local-get.ts') },
};

const help = `Parts of the local cluster.

Usage: trimtab local COMMAND [flags]

${Object.entries(commands)
  .map(([name, { does }]) => `  ${name.padEnd(12)}${does}`)
  .join('\n')}

\`trimtab local COMMAND --help\` tells more.
`;

export async function run([name = '--help', ...argv]: string[]): Promise<number | undefined> {
  if (['--help', '-h', 'help'].includes(name)) {
    process.stdout.write(help);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw new TrimtabError(
      'ConfigInvalid',
      `there is no command 'local ${name}'; there are ${Object.keys(commands).join(', ')}`,
    );
  const { run: start } = await command.load();
  return start(argv);
}
