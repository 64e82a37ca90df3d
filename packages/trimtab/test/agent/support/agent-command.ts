import { existsSync } from 'node:fs';
import path from 'node:path';

const sources = path.resolve(import.meta.dirname, '../../../src/bin/trimtab-agent.ts');

/** The compiled agent that the tests start in place of the sources. */
export const compiledAgent: string | undefined = readVariable();

/** The command that starts the agent in its own process, for `spawn`. */
export function agentCommand(args: readonly string[]): [file: string, args: string[]] {
  return compiledAgent === undefined ? [process.execPath, [sources, ...args]] : [compiledAgent, [...args]];
}

function readVariable(): string | undefined {
  const value = process.env['TRIMTAB_AGENT_PROGRAM'];
  if (value === undefined || value === '') return undefined;
  const file = path.resolve(value);
  if (!existsSync(file))
    throw new Error(
      `TRIMTAB_AGENT_PROGRAM: ${file} does not exist. \`npm run build:agent\` creates dist/trimtab-agent.`,
    );
  return file;
}
