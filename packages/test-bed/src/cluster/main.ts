import { build } from './commands/build.ts';
import { down } from './commands/down.ts';
import { exec } from './commands/exec.ts';
import { help } from './commands/help.ts';
import { image } from './commands/image.ts';
import { kubeconfig } from './commands/kubeconfig.ts';
import { packages } from './commands/packages.ts';
import { status } from './commands/status.ts';
import { tools } from './commands/tools.ts';
import { up } from './commands/up.ts';
import { type Arguments, parseArguments } from './terminal/arguments.ts';
import { BedError } from './terminal/bed-error.ts';

/** Each command returns its exit code. */
const commands: Record<string, (args: Arguments) => Promise<number>> = {
  up,
  down,
  status,
  kubeconfig,
  exec,
  build,
  image,
  packages,
  tools,
  help,
};

async function main(argv: readonly string[]): Promise<number> {
  const args = parseArguments(argv);
  const command = commands[args.command];
  if (args.help) return help();
  if (command) return command(args);
  const problem = args.command === '' ? 'no command specified' : `unknown command '${args.command}'`;
  throw new BedError(problem, [
    `Commands: ${Object.keys(commands).join(', ')}. See: npm run cluster -- --help`,
  ]);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof BedError)) throw error;
  console.error(`cluster: ${error.message}`);
  for (const line of error.details) console.error(`  ${line}`);
  process.exitCode = 1;
}
