import { errors, OperationalError } from '../errors.ts';

export interface Command {
  /** The exit code; undefined when it goes on running. */
  run(argv: string[]): number | undefined | Promise<number | undefined>;
}

/** A program of several commands. Each is loaded when it is called, so that none pays for the others. */
export interface CommandTable {
  /** As it is typed: `trimtab`. */
  name: string;
  /** One sentence. */
  summary: string;
  commands: Readonly<Record<string, { does: string; load: () => Promise<Command> }>>;
}

export async function runCommand(
  { name, summary, commands }: CommandTable,
  [word = '--help', ...argv]: string[],
): Promise<number | undefined> {
  if (['--help', '-h', 'help'].includes(word)) {
    const rows = Object.entries(commands).map(([command, { does }]) => `  ${command.padEnd(12)}${does}`);
    process.stdout.write(
      `${summary}\n\nUsage: ${name} COMMAND [flags]\n\n${rows.join('\n')}\n\n\`${name} COMMAND --help\` tells more.\n`,
    );
    return 0;
  }
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command === undefined) {
    const known = Object.keys(commands).join(', ');
    throw new OperationalError(
      errors.ConfigInvalid,
      `there is no command '${name} ${word}'; there are ${known}`,
    );
  }
  const { run } = await command.load();
  return run(argv);
}

/** Runs a program to its exit code. What a person can mend is told in its own words, and not with a stack. */
export async function runMain(main: (argv: string[]) => ReturnType<Command['run']>): Promise<void> {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof OperationalError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(error.exitCode);
  }
}
