import type { Flags, ParsedFlags, Positionals } from './flags.ts';

/** Declaration of a program's command line. */
export interface Program<F extends Flags = Flags, P extends Positionals = Positionals> {
  /** Name as typed on the command line, such as `trimtab controller`. */
  name: string;
  /**
   * Prefix of environment variables. Defaults to the first word of the name: `TRIMTAB` for `trimtab controller`. With
   * false, only flags that name their variable have one.
   */
  envPrefix?: string | false;
  /** One or two sentences. */
  summary: string;
  flags: F;
  positionals?: P;
  /** Arguments after `--`, such as a command to run. Without this field, `--` only ends the flags. */
  rest?: { name: string; help: string; required?: true };
  examples?: readonly { does: string; command: string }[];
  /**
   * Returns the problems that concern several flags, such as flags that exclude each other. Called also when there are
   * other problems, so that all problems are reported at once.
   */
  validate?(input: ValidationInput<F>): string[];
}

export interface ValidationInput<F extends Flags = Flags> {
  /** A value that is missing or invalid is undefined. */
  flags: Partial<ParsedFlags<F>>;
  /** Keys of the flags that the command line or the environment sets, also when the value is missing or invalid. */
  given: ReadonlySet<keyof F & string>;
  /** Arguments after `--`. */
  rest: readonly string[];
}
