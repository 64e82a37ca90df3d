import type { Flags, Positionals } from './flags.ts';

/** Declaration of a program's command line. */
export interface Program<F extends Flags = Flags, P extends Positionals = Positionals> {
  /** Name as typed on the command line, such as `trimtab controller`. */
  name: string;
  /** Prefix of environment variables. Defaults to the first word of the name: `TRIMTAB` for `trimtab controller`. */
  envPrefix?: string;
  /** One or two sentences. */
  summary: string;
  flags: F;
  positionals?: P;
  /** Arguments after `--`, such as a command to run. Without this field, `--` only ends the flags. */
  rest?: { name: string; help: string; required?: true };
  examples?: readonly { does: string; command: string }[];
}
