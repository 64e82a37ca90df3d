import { errors, OperationalError } from '../errors.ts';

export interface Command {
  /** Returns the exit code, or undefined when the command keeps running. */
  run(argv: string[]): number | undefined | Promise<number | undefined>;
}

/** A program with several commands. Each command is imported only when it runs. */
export interface CommandTable {
  /** Name as typed on the command line, such as `trimtab`. */
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
      `${summary}\n\nUsage: ${name} COMMAND [flags]\n\n${rows.join('\n')}\n\nRun \`${name} COMMAND --help\` for help on a command.\n`,
    );
    return 0;
  }
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command === undefined) {
    const known = Object.keys(commands).join(', ');
    throw new OperationalError(
      errors.ConfigInvalid,
      `unknown command '${name} ${word}': must be one of ${known}`,
    );
  }
  const { run } = await command.load();
  return run(argv);
}

/** Runs a program and sets its exit code. An OperationalError is printed as a message, without a stack trace. */
export async function runMain(main: (argv: string[]) => ReturnType<Command['run']>): Promise<void> {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof OperationalError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(error.exitCode);
  }
}
