/**
 * Declaration of a program's flags, as data. The type of the parsed configuration, the validation, the names of
 * environment variables and the help text are derived from it.
 */

interface Common {
  /** One sentence for `--help`. */
  help: string;
  /**
   * Environment variable that is read when the flag is not set. Defaults to the program's prefix and the flag's name.
   */
  env?: string | false;
  /** One letter: `-n` for `--namespace`. */
  short?: string;
  required?: true;
  /** Omitted from `--help`: the program accepts the flag for compatibility, and the value has no effect. */
  hidden?: true;
  /** The kind of value that a shell offers, such as `file` or a kind that the program knows. */
  completes?: string;
}

interface StringFlag extends Common {
  type: 'string';
  default?: string;
  /** The value is never printed, not even in errors about it. */
  secret?: true;
  /** Placeholder of the value in `--help`, such as FILE or ADDRESS. */
  placeholder?: string;
}

/** May be repeated; values in the environment variable are separated by commas. */
interface ListFlag extends Common {
  type: 'list';
  placeholder?: string;
}

/** Set by `--flag` or `--no-flag`. Defaults to false. */
interface BooleanFlag extends Common {
  type: 'boolean';
  default?: boolean;
}

interface NumberFlag extends Common {
  type: 'integer' | 'number';
  default?: number;
  min?: number;
  max?: number;
}

/** 0 to 65535; with 0, the system chooses a port. */
interface PortFlag extends Common {
  type: 'port';
  default?: number;
}

/** A duration with its unit (`500ms`, `10s`, `1h30m`). Parsed into milliseconds, under the flag's name + `Ms`. */
interface DurationFlag extends Common {
  type: 'duration';
  default?: string;
  min?: string;
  max?: string;
}

interface ChoiceFlag extends Common {
  type: 'choice';
  choices: readonly string[];
  default?: string;
  /** Value of the flag without `=VALUE`. The next word is then never its value. */
  implied?: string;
}

export type Flag = StringFlag | ListFlag | BooleanFlag | NumberFlag | PortFlag | DurationFlag | ChoiceFlag;

/** Flags by name in camelCase: `kubeConfig` of `trimtab controller` is `--kube-config` or TRIMTAB_KUBE_CONFIG. */
export type Flags = Readonly<Record<string, Flag>>;

interface Positional {
  help: string;
  required?: true;
  /** Takes all remaining words; only the last positional argument may. The value is a list. */
  many?: true;
  /** The values that a shell offers: a fixed list, or a kind that the program knows, such as `file`. */
  completes?: string | readonly string[];
}

/** Positional arguments, in order. */
export type Positionals = Readonly<Record<string, Positional>>;

type Value<F extends Flag> = F extends { type: 'boolean' }
  ? boolean
  : F extends { type: 'list' }
    ? string[]
    : F extends { type: 'string' }
      ? string
      : F extends { type: 'choice'; choices: readonly (infer C)[] }
        ? C
        : number;

type IsAlwaysSet<F extends Flag> = F extends { type: 'boolean' | 'list' }
  ? true
  : F extends { required: true } | { default: string | number }
    ? true
    : false;

type OutputName<K extends string, F extends Flag> = F extends { type: 'duration' } ? `${K}Ms` : K;

/** The parsed values of a declaration: `kubeconfig: string | undefined`, `port: number`, `intervalMs: number`. */
export type ParsedFlags<F extends Flags> = {
  readonly [K in keyof F & string as OutputName<K, F[K]>]: IsAlwaysSet<F[K]> extends true
    ? Value<F[K]>
    : Value<F[K]> | undefined;
};

export type ParsedPositionals<P extends Positionals> = {
  readonly [K in keyof P]: P[K] extends { many: true }
    ? readonly string[]
    : P[K] extends { required: true }
      ? string
      : string | undefined;
};

export function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns undefined for a flag that has no environment variable. */
export function environmentName(
  { name, envPrefix = name.split(' ')[0] ?? '' }: { name: string; envPrefix?: string | false },
  key: string,
  flag: Flag,
): string | undefined {
  if (flag.env === false || (flag.env === undefined && envPrefix === false)) return undefined;
  return flag.env ?? `${envPrefix}_${flagName(key)}`.replaceAll('-', '_').toUpperCase();
}
