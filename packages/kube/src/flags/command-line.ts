/** What a command line says, before anybody knows whether the values are right. */
export interface CommandLine {
  /** By the flag's key; a boolean flag without a value has 'true' or, after `--no-`, 'false'. */
  given: Map<string, string[]>;
  /** Flags that nobody declared, without their values: those may be secret. */
  unknown: string[];
  /** Flags that came last and lack their value. */
  withoutValue: string[];
  positionals: string[];
  /** Everything after `--`; undefined without one. */
  rest: string[] | undefined;
}

export interface KnownFlag {
  key: string;
  takesValue: boolean;
}

/** `lookup` answers for `--name`, `--no-name` and `-n` alike, with all their dashes. */
export function splitCommandLine(
  argv: readonly string[],
  lookup: (option: string) => KnownFlag | undefined,
): CommandLine {
  const line: CommandLine = {
    given: new Map(),
    unknown: [],
    withoutValue: [],
    positionals: [],
    rest: undefined,
  };
  const words = argv[Symbol.iterator]();
  let pending: { option: string; key: string | undefined } | undefined;

  for (const word of words) {
    if (word === '--') {
      line.rest = [...words];
      break;
    }
    // A negative number and a lone dash (standard input) are values.
    const isOption = /^-[^\d.]/.test(word);
    if (pending?.key !== undefined && !isOption) {
      add(line.given, pending.key, word);
      pending = undefined;
      continue;
    }
    if (!isOption) {
      // What follows an unknown flag is taken for its value and not complained about (nor shown).
      if (pending === undefined) line.positionals.push(word);
      pending = undefined;
      continue;
    }
    if (pending?.key !== undefined) line.withoutValue.push(pending.option);
    pending = takeOption(line, word, lookup);
  }
  if (pending?.key !== undefined) line.withoutValue.push(pending.option);
  return line;
}

/** Answers the flag that still waits for its value, which is the next word. */
function takeOption(
  line: CommandLine,
  word: string,
  lookup: (option: string) => KnownFlag | undefined,
): { option: string; key: string | undefined } | undefined {
  const equals = word.indexOf('=');
  const option = equals < 0 ? word : word.slice(0, equals);
  const value = equals < 0 ? undefined : word.slice(equals + 1);
  const flag = lookup(option);
  if (flag !== undefined && (value !== undefined || flag.takesValue)) {
    if (value === undefined) return { option, key: flag.key };
    add(line.given, flag.key, value);
    return undefined;
  }
  const negated = option.startsWith('--no-') ? lookup(`--${option.slice('--no-'.length)}`) : undefined;
  if (flag !== undefined) add(line.given, flag.key, 'true');
  else if (negated !== undefined && !negated.takesValue && value === undefined)
    add(line.given, negated.key, 'false');
  else line.unknown.push(option);
  return flag === undefined && negated === undefined && value === undefined
    ? { option, key: undefined }
    : undefined;
}

function add(given: Map<string, string[]>, key: string, value: string): void {
  given.set(key, [...(given.get(key) ?? []), value]);
}
