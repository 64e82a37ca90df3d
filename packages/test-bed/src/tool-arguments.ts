import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** The command-line arguments of a tool, and its help text. */
interface ToolArguments<O extends ParseArgsOptionsConfig> {
  help: string;
  options?: O;
  /** Whether positional arguments are accepted. */
  allowPositionals?: boolean;
}

/** Prints the help text and exits when the arguments contain `--help` or `-h`. */
export function exitWithHelpIfAsked(help: string, argv: readonly string[] = process.argv.slice(2)): void {
  if (!argv.includes('--help') && !argv.includes('-h')) return;
  process.stdout.write(help);
  process.exit(0);
}

/**
 * Parses the arguments of a tool of this repository. With `--help` it prints the help text and exits with code 0. An
 * unknown argument prints the problem and the help text, and exits with code 2.
 */
export function toolArguments<O extends ParseArgsOptionsConfig = Record<never, never>>(
  tool: ToolArguments<O>,
): { values: Values<O>; positionals: string[] } {
  exitWithHelpIfAsked(tool.help);
  try {
    return parseArgs<{ options: O; allowPositionals: true }>({
      options: tool.options ?? ({} as O),
      allowPositionals: (tool.allowPositionals ?? false) as true,
    });
  } catch (error) {
    return exitWithUsage(tool.help, error instanceof Error ? error.message : String(error));
  }
}

/** Reports an invalid argument: prints the problem and the help text, and exits with code 2. */
export function exitWithUsage(help: string, problem: string): never {
  process.stderr.write(`error: ${problem}\n\n${help}`);
  process.exit(2);
}

/** Parses the value of a flag that must be a whole number above 0. */
export function wholeNumber(help: string, flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(value)) return Number(value);
  return exitWithUsage(help, `${flag} must be a whole number above 0, not '${value}'`);
}
