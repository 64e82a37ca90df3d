import { type CommandLine, splitCommandLine } from './command-line.ts';
import { type Flag, type Flags, flagName } from './flags.ts';
import { lookupIn } from './parse-config.ts';
import type { Program } from './program.ts';
import { type CommandEntry, type CommandTable, findCommand, splitAtCommand } from './run-command.ts';

export interface Candidate {
  value: string;
  /** Shown beside the value where the shell can do so. */
  help?: string;
}

export interface Completion {
  candidates: Candidate[];
  /** The shell offers the names of files or folders. */
  files?: 'files' | 'folders';
}

/** What is typed when values of a kind that only the program knows are needed. */
export interface ValueRequest {
  /** `completes` of the flag or positional argument. */
  kind: string;
  /** The part of the word before the cursor. */
  prefix: string;
  given: CommandLine['given'];
  /** The positional arguments before the cursor, by the name of their declaration. */
  positionals: Readonly<Record<string, string>>;
  program: Program | undefined;
}

export type ValueSource = (request: ValueRequest) => Promise<Candidate[]>;

/** Completes the last of the words that follow the name of the program. The word may be empty. */
export async function complete(
  table: CommandTable,
  words: readonly string[],
  valuesOf: ValueSource,
): Promise<Completion> {
  const prefix = words.at(-1) ?? '';
  const typed = words.slice(0, -1);
  const found = await findIn(table, typed[0] === 'help' ? typed.slice(1) : typed);
  const completion = await completeWord(found, prefix, valuesOf);
  const matching = completion.candidates.filter(({ value }) => value.startsWith(prefix));
  return { ...completion, candidates: matching };
}

type Found =
  | { at: 'table'; table: CommandTable; typed: readonly string[]; isTop: boolean }
  | { at: 'command'; program: Program | undefined; typed: readonly string[] }
  | { at: 'nowhere' };

/** Follows the typed words to a table or a command, as `runCommand` does. */
async function findIn(table: CommandTable, typed: readonly string[], isTop = true): Promise<Found> {
  const { leading, word, rest } = splitAtCommand(table, typed);
  if (word === undefined) return { at: 'table', table, typed: leading, isTop };
  const entry: CommandEntry | undefined = findCommand(table, word)?.command;
  if (entry === undefined) return { at: 'nowhere' };
  const after = [...leading, ...rest];
  if (!('table' in entry)) return { at: 'command', program: (await entry.load()).program, typed: after };
  const leadingFlags = table.leadingFlags && { leadingFlags: table.leadingFlags };
  return findIn({ ...leadingFlags, ...entry.table, name: word }, after, false);
}

async function completeWord(found: Found, prefix: string, valuesOf: ValueSource): Promise<Completion> {
  if (found.at === 'nowhere') return { candidates: [] };
  const program = found.at === 'command' ? found.program : undefined;
  const flags = found.at === 'command' ? (program?.flags ?? {}) : (found.table.leadingFlags ?? {});
  const line = splitCommandLine(found.typed, lookupIn(flags));
  const request = { given: line.given, positionals: namedPositionals(program, line.positionals), program };
  const pending = line.rest === undefined ? pendingFlag(line, found.typed) : undefined;
  if (pending !== undefined) return valueOfFlag(flags[pending], prefix, request, valuesOf);
  if (line.rest === undefined && prefix.startsWith('-')) {
    const joined = /^(--[^=]+)=(.*)$/s.exec(prefix);
    if (joined === null) return { candidates: flagNames(flags, line.given) };
    const [, option = '', value = ''] = joined;
    const key = lookupIn(flags)(option)?.key;
    const { candidates, ...rest } = await valueOfFlag(flags[key ?? ''], value, request, valuesOf);
    return { ...rest, candidates: candidates.map((each) => ({ ...each, value: `${option}=${each.value}` })) };
  }
  if (found.at === 'table') return { candidates: commandNames(found.table, found.isTop) };
  if (line.rest !== undefined && program?.rest !== undefined) return { candidates: [], files: 'files' };
  const index = line.positionals.length + (line.rest?.length ?? 0);
  const declared = Object.values(program?.positionals ?? {});
  const positional = declared[index] ?? (declared.at(-1)?.many ? declared.at(-1) : undefined);
  if (positional?.completes === undefined) return { candidates: [] };
  return typeof positional.completes === 'string'
    ? valuesOfKind(positional.completes, prefix, request, valuesOf)
    : { candidates: positional.completes.map((value) => ({ value })) };
}

/** The key of a flag whose value is the word at the cursor. */
function pendingFlag({ withoutValue }: CommandLine, typed: readonly string[]): string | undefined {
  const last = withoutValue.at(-1);
  return last !== undefined && typed.at(-1) === last.option ? last.key : undefined;
}

type Context = Omit<ValueRequest, 'kind' | 'prefix'>;

async function valueOfFlag(
  flag: Flag | undefined,
  prefix: string,
  context: Context,
  valuesOf: ValueSource,
): Promise<Completion> {
  if (flag === undefined) return { candidates: [] };
  if (flag.completes !== undefined) return valuesOfKind(flag.completes, prefix, context, valuesOf);
  if (flag.type === 'choice') return { candidates: flag.choices.map((value) => ({ value })) };
  if (flag.type === 'boolean') return { candidates: [{ value: 'true' }, { value: 'false' }] };
  const placeholder = 'placeholder' in flag ? (flag.placeholder ?? '') : '';
  if (/^(FILE|PATH)$/.test(placeholder)) return { candidates: [], files: 'files' };
  if (/^(DIR|FOLDER)$/.test(placeholder)) return { candidates: [], files: 'folders' };
  // `json|yaml|jsonpath=TEMPLATE`: capitals stand for a text of the user.
  const listed = placeholder.includes('|') ? placeholder.split('|') : [];
  return { candidates: listed.map((value) => ({ value: value.replace(/[A-Z]+$/, '') })) };
}

async function valuesOfKind(
  kind: string,
  prefix: string,
  context: Context,
  valuesOf: ValueSource,
): Promise<Completion> {
  if (kind === 'file') return { candidates: [], files: 'files' };
  if (kind === 'folder') return { candidates: [], files: 'folders' };
  return { candidates: await valuesOf({ ...context, kind, prefix }) };
}

function flagNames(flags: Flags, given: CommandLine['given']): Candidate[] {
  const offered = Object.entries(flags).filter(
    ([key, flag]) => !flag.hidden && (flag.type === 'list' || !given.has(key)),
  );
  const names = offered.map(([key, flag]) => ({
    value: `--${flagName(key)}`,
    help: firstSentence(flag.help),
  }));
  return [...names, { value: '--help', help: 'Show help' }];
}

function commandNames({ commands }: CommandTable, isTop: boolean): Candidate[] {
  const shown = Object.entries(commands).filter(([, { hidden }]) => hidden !== true);
  const names = shown.map(([value, { does }]) => ({ value, help: does }));
  return isTop ? [...names, { value: 'help', help: 'show help on a command' }] : names;
}

function namedPositionals(program: Program | undefined, words: readonly string[]): Record<string, string> {
  const keys = Object.keys(program?.positionals ?? {});
  return Object.fromEntries(
    keys.flatMap((key, index) => {
      const word = words[index];
      return word === undefined ? [] : [[key, word]];
    }),
  );
}

function firstSentence(text: string): string {
  return /^.*?(?=[.:;](\s|$))/.exec(text)?.[0] ?? text;
}
