/**
 * How a program declares its flags: once, as data. The type of the parsed configuration, the checks, the names of
 * the environment variables and the help text all come from the declaration.
 */

interface Common {
  /** One sentence for `--help`. */
  help: string;
  /** The environment variable read when the flag is not given; the program's prefix and the flag's name unless told. */
  env?: string | false;
  /** One letter: `-n` for `--namespace`. */
  short?: string;
  required?: true;
}

interface StringFlag extends Common {
  type: 'string';
  default?: string;
  /** The value is never shown, not even when something is wrong with it. */
  secret?: true;
  /** What the value stands for in `--help`: FILE, ADDRESS. */
  placeholder?: string;
}

/** May be given several times; the environment variable separates with commas. */
interface ListFlag extends Common {
  type: 'list';
  placeholder?: string;
}

/** False unless told; `--flag` or `--no-flag`. */
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

/** 0 to 65535, where 0 lets the system choose. */
interface PortFlag extends Common {
  type: 'port';
  default?: number;
}

/** Written with its unit (`500ms`, `10s`, `1h30m`), given in milliseconds under the flag's name + `Ms`. */
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
}

export type Flag = StringFlag | ListFlag | BooleanFlag | NumberFlag | PortFlag | DurationFlag | ChoiceFlag;

/** By the name in camelCase: `kubeConfig` is `--kube-config`, and of `trimtab controller` TRIMTAB_KUBE_CONFIG. */
export type Flags = Readonly<Record<string, Flag>>;

interface Positional {
  help: string;
  required?: true;
}

/** In the order in which they are given. */
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

/** What a declaration gives: `kubeconfig: string | undefined`, `port: number`, `intervalMs: number`. */
export type ParsedFlags<F extends Flags> = {
  readonly [K in keyof F & string as OutputName<K, F[K]>]: IsAlwaysSet<F[K]> extends true
    ? Value<F[K]>
    : Value<F[K]> | undefined;
};

export type ParsedPositionals<P extends Positionals> = {
  readonly [K in keyof P]: P[K] extends { required: true } ? string : string | undefined;
};

export function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Undefined for a flag that is read from the command line only. */
export function environmentName(
  { name, envPrefix = name.split(' ')[0] ?? '' }: { name: string; envPrefix?: string },
  key: string,
  flag: Flag,
): string | undefined {
  if (flag.env === false) return undefined;
  return flag.env ?? `${envPrefix}_${flagName(key)}`.replaceAll('-', '_').toUpperCase();
}
