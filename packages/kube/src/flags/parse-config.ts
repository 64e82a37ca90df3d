import { errors, OperationalError } from '../errors.ts';
import { type CommandLine, type KnownFlag, splitCommandLine } from './command-line.ts';
import { didYouMean } from './did-you-mean.ts';
import {
  environmentName,
  type Flag,
  type Flags,
  flagName,
  type ParsedFlags,
  type ParsedPositionals,
  type Positionals,
} from './flags.ts';
import { argumentName, helpText } from './help.ts';
import type { Program } from './program.ts';
import { parseValue } from './values.ts';

export interface Invocation {
  /** Arguments without the interpreter and the name of the program. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** For `help`, the program prints the text and exits with code 0. */
export type ParsedConfig<F extends Flags, P extends Positionals> =
  | { kind: 'help'; text: string }
  | {
      kind: 'run';
      flags: ParsedFlags<F>;
      positionals: ParsedPositionals<P>;
      rest: readonly string[];
      /** The keys of the flags on the command line, in their order; a repeated flag is repeated. */
      order: readonly string[];
    };

/**
 * Reads the configuration of a program from the command line, the environment and the defaults, in this order of
 * precedence. Throws one OperationalError `ConfigInvalid` with all problems. Values of secret flags are never shown.
 */
export function parseConfig<const F extends Flags, const P extends Positionals = Record<never, never>>(
  program: Program<F, P>,
  { argv, env }: Invocation,
): ParsedConfig<F, P> {
  const line = splitCommandLine(argv, lookupIn(program.flags));
  if (line.given.has(helpKey)) return { kind: 'help', text: helpText(program) };

  const problems = [
    ...line.unknown.map((option) => unknownFlag(option, program.flags)),
    ...line.withoutValue.map(
      ({ option }) => `${option} requires a value; write a value that starts with a dash as ${option}=-…`,
    ),
  ];
  const { flags, given } = readFlags(program, line, env, problems);
  const words = program.rest === undefined ? [...line.positionals, ...(line.rest ?? [])] : line.positionals;
  const positionals = readPositionals(program, words, given, problems);
  const rest = program.rest === undefined ? [] : (line.rest ?? []);
  if (program.rest?.required && rest.length === 0)
    problems.push(`argument -- ${program.rest.name} is required`);
  // The functions above set exactly the names that the types derive from the same declaration.
  const input = { flags: flags as Partial<ParsedFlags<F>>, given, rest };
  problems.push(...(program.validate?.(input) ?? []));

  if (problems.length > 0) throw new OperationalError(errors.ConfigInvalid, report(program.name, problems));
  return {
    kind: 'run',
    flags: flags as ParsedFlags<F>,
    positionals: positionals as ParsedPositionals<P>,
    rest,
    order: line.order,
  };
}

/** Cannot collide with the key of a declared flag. */
const helpKey = '--help';

export function lookupIn(flags: Flags): (option: string) => KnownFlag | undefined {
  const known = new Map<string, KnownFlag>([
    ['--help', { key: helpKey, takesValue: false }],
    ['-h', { key: helpKey, takesValue: false }],
  ]);
  for (const [key, flag] of Object.entries(flags)) {
    const implied = flag.type === 'choice' ? flag.implied : undefined;
    const entry = {
      key,
      takesValue: flag.type !== 'boolean' && implied === undefined,
      ...(implied !== undefined && { implied }),
    };
    for (const option of [`--${flagName(key)}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])]) {
      if (known.has(option)) throw new RangeError(`invalid program declaration: it declares ${option} twice`);
      known.set(option, entry);
    }
  }
  return (option) => known.get(option);
}

function readFlags(
  program: Program,
  line: CommandLine,
  env: Invocation['env'],
  problems: string[],
): { flags: Record<string, unknown>; given: Set<string> } {
  const values: Record<string, unknown> = {};
  const withoutValue = new Set(line.withoutValue.map(({ key }) => key));
  const set = new Set([...line.given.keys(), ...withoutValue]);
  for (const [key, flag] of Object.entries(program.flags)) {
    const output = flag.type === 'duration' ? `${key}Ms` : key;
    const option = `--${flagName(key)}`;
    const given = line.given.get(key) ?? [];
    const variable = environmentName(program, key, flag);
    const fromEnv = variable === undefined ? undefined : environmentValue(flag, env[variable]);
    if (flag.type === 'list' && given.length > 0) {
      values[output] = given;
    } else if (given.length > 1) {
      problems.push(
        `${option} is set ${given.length === 2 ? 'twice' : `${given.length} times`}; set it once`,
      );
    } else if (given[0] !== undefined) {
      values[output] = readValue(flag, given[0], option, problems);
    } else if (withoutValue.has(key)) {
      // `parseConfig` has already reported the flag.
      values[output] = undefined;
    } else if (fromEnv !== undefined) {
      set.add(key);
      values[output] = readValue(flag, fromEnv, `${variable} (for ${option})`, problems);
    } else {
      values[output] = defaultOf(key, flag);
      if (flag.required) {
        problems.push(`${option} is required${variable === undefined ? '' : ` (or set ${variable})`}`);
      }
    }
  }
  return { flags: values, given: set };
}

/**
 * Ignores an empty variable, and a variable that Kubernetes sets in every pod of a namespace with a Service named
 * `trimtab`: TRIMTAB_PORT=tcp://10.0.0.1:443.
 */
function environmentValue(flag: Flag, value: string | undefined): string | undefined {
  const fromService = flag.env === undefined && /^(tcp|udp|sctp):\/\//.test(value ?? '');
  return value === '' || fromService ? undefined : value;
}

function readValue(flag: Flag, text: string, where: string, problems: string[]): unknown {
  const result = parseValue(flag, text);
  if ('value' in result) return result.value;
  problems.push(`${where} ${result.problem}`);
  return undefined;
}

function defaultOf(key: string, flag: Flag): unknown {
  if (flag.type === 'boolean') return flag.default ?? false;
  if (flag.type === 'list') return [];
  if (flag.default === undefined) return undefined;
  const result = parseValue(flag, String(flag.default));
  if ('problem' in result) throw new RangeError(`the default of --${flagName(key)} ${result.problem}`);
  return result.value;
}

function readPositionals(
  program: Program,
  words: string[],
  given: ReadonlySet<string>,
  problems: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const declared = Object.entries(program.positionals ?? {});
  declared.forEach(([key, { required, many }], index) => {
    values[key] = many ? words.slice(index) : words[index];
    if (required && words[index] === undefined) problems.push(`argument ${argumentName(key)} is required`);
  });
  if (declared.at(-1)?.[1].many) return values;
  // An unexpected word may be the second half of a secret that was not quoted.
  const mayBeSecret = Object.entries(program.flags).some(
    ([key, flag]) => flag.type === 'string' && flag.secret && given.has(key),
  );
  for (const word of words.slice(declared.length)) {
    problems.push(mayBeSecret ? 'unexpected argument' : `unexpected argument '${word}'`);
  }
  return values;
}

function unknownFlag(option: string, flags: Flags): string {
  const names = Object.keys(flags).map(flagName);
  const typed = option.replace(/^--?(no-)?/, '');
  const meant = didYouMean(typed, [...names, 'help']);
  if (meant !== undefined) {
    return `unknown flag ${option}; did you mean --${meant}?`;
  }
  // Other programs accept a password as `-psecret`, so only the first letter is shown.
  const shown = /^-[^-]./.test(option) ? `${option.slice(0, 2)}…` : option;
  return `unknown flag ${shown}`;
}

function report(name: string, problems: string[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const list = problems.map((problem) => `  ${problem}`).join('\n');
  return `${name}: invalid configuration (${count}):\n${list}\nRun \`${name} --help\` for a list of all flags.`;
}
