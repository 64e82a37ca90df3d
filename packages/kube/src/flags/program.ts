import type { Flags, Positionals } from './flags.ts';

/** Everything that the command line of one program may say. */
export interface Program<F extends Flags = Flags, P extends Positionals = Positionals> {
  /** As it is typed: `trimtab controller`. */
  name: string;
  /** Of its environment variables: the first word of the name unless told, `TRIMTAB` for `trimtab controller`. */
  envPrefix?: string;
  /** One or two sentences. */
  summary: string;
  flags: F;
  positionals?: P;
  /** What follows `--`, such as a command to run; without it, `--` only ends the flags. */
  rest?: { name: string; help: string; required?: true };
  examples?: readonly { does: string; command: string }[];
}
