import { errors, OperationalError } from '../errors.ts';
import { splitCommandLine } from './command-line.ts';
import { didYouMean } from './did-you-mean.ts';
import type { Flags } from './flags.ts';
import { lookupIn } from './parse-config.ts';
import type { Program } from './program.ts';
import { type ProgramIo, processIo } from './program-io.ts';

export interface Command {
  /** Declaration of the command line, for the reference and for completion. */
  program?: Program;
  /** Returns the exit code, or undefined when the command keeps running. */
  run(argv: string[], io: ProgramIo): number | undefined | Promise<number | undefined>;
}

interface Entry {
  /** What the command does, without a subject: 'list the versions of a config'. */
  does: string;
  aliases?: readonly string[];
  /** Heading in the help text. Commands without one come first. */
  section?: string;
  /** Omitted from the help text. */
  hidden?: true;
}

/** A command, which is imported only when it runs, or a table of commands such as `set owner` and `set volume`. */
export type CommandEntry = Entry & ({ load: () => Promise<Command> } | { table: Omit<CommandTable, 'name'> });

/** A program with several commands. */
export interface CommandTable {
  /** Name as typed on the command line, such as `trimtab`. */
  name: string;
  /** One sentence. */
  summary: string;
  commands: Readonly<Record<string, CommandEntry>>;
  /** Flags that may stand before the name of a command, as `kubectl -n shop get pods`. */
  leadingFlags?: Flags;
  /** Text at the end of the help text, with a line break. */
  footer?: string;
}

export async function runCommand(
  table: CommandTable,
  argv: readonly string[],
  io: ProgramIo = processIo(table.name),
): Promise<number | undefined> {
  const { leading, word, rest } = splitAtCommand(table, argv);
  if (word === undefined || word === 'help') {
    const asked = word === 'help' ? rest.filter((each) => !each.startsWith('-')) : [];
    if (asked.length > 0) return runCommand(table, [...asked, '--help'], io);
    if (leading.length > 0 && !leading.some((each) => each === '--help' || each === '-h'))
      throw new OperationalError(
        errors.ConfigInvalid,
        `${table.name}: a command is required. Run \`${table.name} --help\` for a list of all commands.`,
      );
    io.stdout.write(tableHelp(table));
    return 0;
  }
  const entry = findCommand(table, word);
  if (entry === undefined) throw unknownCommand(table, word);
  const args = [...rest.slice(0, beforeDashes(rest)), ...leading, ...rest.slice(beforeDashes(rest))];
  if ('table' in entry.command) {
    const name = `${table.name} ${entry.name}`;
    return runCommand(
      { ...(table.leadingFlags && { leadingFlags: table.leadingFlags }), ...entry.command.table, name },
      args,
      io,
    );
  }
  return (await entry.command.load()).run(args, io);
}

/** Finds a command by its name or an alias. */
export function findCommand(
  { commands }: Pick<CommandTable, 'commands'>,
  word: string,
): { name: string; command: CommandEntry } | undefined {
  const found = Object.entries(commands).find(
    ([name, { aliases = [] }]) => name === word || aliases.includes(word),
  );
  return found && { name: found[0], command: found[1] };
}

/** All commands of a table with their words, such as `['set', 'owner']`, in the order of the help text. */
export function* eachCommand(
  { commands }: Pick<CommandTable, 'commands'>,
  before: readonly string[] = [],
): Generator<{ words: string[]; entry: Exclude<CommandEntry, { table: unknown }> }> {
  for (const [name, entry] of Object.entries(commands)) {
    const words = [...before, name];
    if ('table' in entry) yield* eachCommand(entry.table, words);
    else yield { words, entry };
  }
}

/** Splits at the first word that is neither a flag nor the value of a flag. */
export function splitAtCommand(
  { leadingFlags = {} }: Pick<CommandTable, 'leadingFlags'>,
  argv: readonly string[],
): { leading: readonly string[]; word: string | undefined; rest: readonly string[] } {
  const lookup = lookupIn(leadingFlags);
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) return { leading: argv.slice(0, at), word, rest: argv.slice(at + 1) };
    if (word === '--') break;
    // A flag without its value takes the next word.
    if (splitCommandLine([word], lookup).withoutValue.length > 0) at++;
  }
  return { leading: [...argv], word: undefined, rest: [] };
}

/** Flags that stood before the command are added before `--`, which ends the flags. */
function beforeDashes(rest: readonly string[]): number {
  const at = rest.indexOf('--');
  return at === -1 ? rest.length : at;
}

function unknownCommand({ name, commands }: CommandTable, word: string): OperationalError {
  const known = Object.entries(commands).flatMap(([command, { hidden, aliases = [] }]) =>
    hidden ? [] : [command, ...aliases],
  );
  const meant = didYouMean(word, known);
  const hint = meant === undefined ? '' : ` Did you mean \`${name} ${meant}\`?`;
  return new OperationalError(
    errors.ConfigInvalid,
    `unknown command '${name} ${word}'.${hint} Run \`${name} --help\` for a list of all commands.`,
  );
}

function tableHelp({ name, summary, commands, footer }: CommandTable): string {
  const shown = Object.entries(commands).filter(([, { hidden }]) => hidden !== true);
  const width = Math.max(...shown.map(([command]) => command.length)) + 2;
  const sections = [...new Set(shown.map(([, { section }]) => section))];
  const parts = sections.map((section) => {
    const rows = shown.filter(([, entry]) => entry.section === section);
    const lines = rows.map(([command, { does }]) => `  ${command.padEnd(width)}${does}\n`);
    return `${section === undefined ? '' : `${section}:\n`}${lines.join('')}\n`;
  });
  return `${summary}\n\nUsage: ${name} COMMAND [flags]\n\n${parts.join('')}Run \`${name} COMMAND --help\` for help on a command.\n${footer === undefined ? '' : `\n${footer}`}`;
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
