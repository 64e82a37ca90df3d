import { existsSync } from 'node:fs';
import path from 'node:path';

const sources = path.resolve(import.meta.dirname, '../../src/bin/trimtab.ts');

/** The compiled program that the tests start in place of the sources. */
export const compiledProgram: string | undefined = readVariable();

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
    return [compiledProgram, [...args]];
  return [process.execPath, [...nodeFlags, program ?? sources, ...args]];
}

function readVariable(): string | undefined {
  const value = process.env['TRIMTAB_PROGRAM'];
  if (value === undefined || value === '') return undefined;
  const file = path.resolve(value);
  if (!existsSync(file))
    throw new Error(`TRIMTAB_PROGRAM: ${file} does not exist. \`npm run build\` creates dist/trimtab.`);
  return file;
}
