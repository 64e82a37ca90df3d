import { parseArgs } from 'node:util';

/** The parts of a command line, before their values are validated. */
export interface CommandLine {
  /** Values by key of the flag. A boolean flag without a value has the value 'true', or 'false' after `--no-`. */
  given: Map<string, string[]>;
  /** The keys in the order of the command line, for flags whose order among each other matters. */
  order: string[];
  /** Undeclared flags, without their values, which may be secret. */
  unknown: string[];
  /** Flags that lack their value, because another flag or the end of the flags follows. */
  withoutValue: { option: string; key: string }[];
  positionals: string[];
  /** Arguments after `--`; undefined when there is no `--`. */
  rest: string[] | undefined;
}

export interface KnownFlag {
  key: string;
  takesValue: boolean;
  /** Value of the flag when it is given without `=VALUE`. Defaults to 'true'. */
  implied?: string;
}

/** An option whose value is the next word. An unknown option has no key. */
interface Pending {
  option: string;
  key: string | undefined;
}

/** `lookup` receives options with their dashes: `--name`, `--no-name` or `-n`. */
export function splitCommandLine(
  typed: readonly string[],
  lookup: (option: string) => KnownFlag | undefined,
): CommandLine {
  const argv = separateShortFlags(typed, lookup);
  const line: CommandLine = {
    given: new Map(),
    order: [],
    unknown: [],
    withoutValue: [],
    positionals: [],
    rest: undefined,
  };
  let pending: Pending | undefined;

  for (const token of tokensOf(argv)) {
    const word = argv[token.index] ?? '';
    if (token.kind === 'option-terminator') {
      line.rest = argv.slice(token.index + 1);
      break;
    }
    // parseArgs treats a negative number as a flag, but it is a value.
    if (token.kind === 'positional' || /^-[\d.]/.test(word)) {
      // The word after an unknown flag is probably its value and may be secret, so it is not reported.
      if (pending === undefined) line.positionals.push(word);
      else if (pending.key !== undefined) add(line, pending.key, word);
      pending = undefined;
      continue;
    }
    reportPending(line, pending);
    const option = word.startsWith('--') ? token.rawName : token.rawName.slice(1);
    pending = takeOption(line, option, token.value, lookup);
  }
  reportPending(line, pending);
  return line;
}

/**
 * Separates flags that are joined as kubectl allows it: `-oyaml` is `-o=yaml`, and `-wA` is `-w -A`. A word with an unknown
 * letter is left as it is.
 */
function separateShortFlags(
  typed: readonly string[],
  lookup: (option: string) => KnownFlag | undefined,
): string[] {
  const end = typed.indexOf('--');
  const flags = end === -1 ? typed : typed.slice(0, end);
  return [
    ...flags.flatMap((word) => (/^-[A-Za-z][^=]/.test(word) ? separate(word, lookup) : [word])),
    ...typed.slice(flags.length),
  ];
}

function separate(word: string, lookup: (option: string) => KnownFlag | undefined): string[] {
  const parts: string[] = [];
  for (let at = 1; at < word.length; at++) {
    const option = `-${word.charAt(at)}`;
    const flag = lookup(option);
    if (flag === undefined) return [word];
    const rest = word.slice(at + 1);
    if (flag.takesValue && rest !== '') return [...parts, `${option}=${rest.replace(/^=/, '')}`];
    parts.push(option);
  }
  return parts;
}

/**
 * No flags are declared to parseArgs, because it would use the next word as the value of `--port` even when that word
 * is a flag. Words such as `-abc` get a second dash, because parseArgs would split them into `-a -b -c`.
 */
function tokensOf(argv: readonly string[]) {
  const args = argv.map((word) => word.replace(/^-(?=[^-])/, '--'));
  return parseArgs({ args, strict: false, tokens: true }).tokens;
}

/** Records an option. Returns the option when the next word is its value. */
function takeOption(
  line: CommandLine,
  option: string,
  value: string | undefined,
  lookup: (option: string) => KnownFlag | undefined,
): Pending | undefined {
  const flag = lookup(option);
  if (flag !== undefined && (value !== undefined || flag.takesValue)) {
    if (value === undefined) return { option, key: flag.key };
    add(line, flag.key, value);
    return undefined;
  }
  const negated = option.startsWith('--no-') ? lookup(`--${option.slice('--no-'.length)}`) : undefined;
  if (flag !== undefined) add(line, flag.key, flag.implied ?? 'true');
  else if (negated !== undefined && !negated.takesValue && value === undefined)
    add(line, negated.key, 'false');
  // parseArgs returns `--=value` as a name, and the value may be secret.
  else line.unknown.push(option.replace(/=.*/s, ''));
  return flag === undefined && negated === undefined && value === undefined
    ? { option, key: undefined }
    : undefined;
}

function reportPending(line: CommandLine, pending: Pending | undefined): void {
  if (pending?.key !== undefined) line.withoutValue.push({ option: pending.option, key: pending.key });
}

function add({ given, order }: CommandLine, key: string, value: string): void {
  given.set(key, [...(given.get(key) ?? []), value]);
  order.push(key);
}
