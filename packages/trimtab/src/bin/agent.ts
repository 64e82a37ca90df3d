import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { Program } from '@trimtab/kube/flags/program.ts';
import { installBinary } from '../agent/install-binary.ts';
import { roleManifest } from '../agent/print-role.ts';
import { readSettings } from '../agent/settings.ts';
import { agentProgram } from './agent-program.ts';

/** `trimtab agent` is the same program as `trimtab-agent`. */
export const program = {
  ...agentProgram,
  name: 'trimtab agent',
  examples: agentProgram.examples.map(({ does, command }) => ({
    does,
    command: command.replace(/^trimtab-agent\b/, 'trimtab agent'),
  })),
};

export function run(argv: string[]): Promise<number | undefined> {
  return runAgent(program, argv, () => {
    throw new OperationalError(
      errors.ConfigInvalid,
      '--install-to copies the program trimtab-agent. Run `trimtab-agent --install-to DIR`.',
    );
  });
}

/** `ownBinary` returns the path of the program that --install-to copies. */
export async function runAgent(
  declared: Program<typeof agentProgram.flags>,
  argv: string[],
  ownBinary: () => string,
): Promise<number | undefined> {
  const parsed = parseConfig(declared, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { flags, rest, order } = parsed;
  if (flags.installTo !== undefined) {
    process.stdout.write(`${installBinary(ownBinary(), flags.installTo)}\n`);
    return 0;
  }
  const { settings } = readSettings(flags, rest, new Set(order), order);
  if (flags.printRole) {
    process.stdout.write(roleManifest(settings.refs));
    return 0;
  }
  // Imported on demand: the commands above need neither a client nor a server.
  const { serveAgent } = await import('./serve-agent.ts');
  return serveAgent(flags, settings);
}
