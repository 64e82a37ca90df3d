import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** What a tool takes; the help text shows it to people. */
interface ToolArguments<O extends ParseArgsOptionsConfig> {
  help: string;
  options?: O;
  /** Whether words without a flag are taken. */
  allowPositionals?: boolean;
}

/** Prints the help text and ends the program when `--help` or `-h` is among its arguments. */
export function exitWithHelpIfAsked(help: string, argv: readonly string[] = process.argv.slice(2)): void {
  if (!argv.includes('--help') && !argv.includes('-h')) return;
  process.stdout.write(help);
  process.exit(0);
}

/**
 * The arguments of a tool of this repository. With `--help` it prints the help text and ends the program with 0; with
 * an argument that the tool does not take, it says so, prints the help text, and ends with 2.
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

/** For an argument that cannot be used: says why, prints the help text, and ends the program with 2. */
export function exitWithUsage(help: string, problem: string): never {
  process.stderr.write(`error: ${problem}\n\n${help}`);
  process.exit(2);
}

/** The value of a flag that takes a whole number above 0. */
export function wholeNumber(help: string, flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(value)) return Number(value);
  return exitWithUsage(help, `${flag} must be a whole number above 0, not '${value}'`);
}
