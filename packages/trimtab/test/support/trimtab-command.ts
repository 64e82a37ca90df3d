import path from 'node:path';

const sources = path.resolve(import.meta.dirname, '../../src/bin/trimtab.ts');

/** Path of a compiled program that the tests start in place of the sources: `npm run build` creates it. */
export const compiledProgram: string | undefined = process.env['TRIMTAB_PROGRAM'] || undefined;

interface OtherSources {
  /** Path of another copy of `src/bin/trimtab.ts`. */
  program?: string;
  /** Flags for Node.js, for example `--import`. */
  nodeFlags?: string[];
}

/**
 * The command that starts Trimtab in its own process, for `spawn`. Another copy of the sources, or one with flags for
 * Node.js, always runs on Node.js, because a compiled program cannot be changed.
 */
export function trimtabCommand(
  args: readonly string[],
  { program, nodeFlags = [] }: OtherSources = {},
): [file: string, args: string[]] {
  if (compiledProgram !== undefined && program === undefined && nodeFlags.length === 0)
    return [path.resolve(compiledProgram), [...args]];
  return [process.execPath, [...nodeFlags, program ?? sources, ...args]];
}
