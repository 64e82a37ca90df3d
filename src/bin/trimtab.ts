import { enableCompileCache } from 'node:module';
import { TrimtabError } from '../api/errors.ts';

// Types are stripped as files load; what was stripped once need not be again, which saves time and memory.
enableCompileCache();

/** The one program of Trimtab. Each command is loaded when it is called, so that none pays for the others. */
const commands: Record<string, () => Promise<Command>> = {
  controller: () => import('./controller.ts'),
  manifests: () => import('./manifests.ts'),
  start: () => import('./start.ts'),
};

interface Command {
  /** The exit code; undefined when it goes on running. */
  run(args: string[]): number | undefined | Promise<number | undefined>;
}

const [name = '', ...args] = process.argv.slice(2);
const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
try {
  if (load === undefined) {
    const known = Object.keys(commands).join(', ');
    throw new TrimtabError('ConfigInvalid', `unknown command '${name}'; there are: ${known}`);
  }
  const command = await load();
  process.exitCode = await command.run(args);
} catch (error) {
  if (!(error instanceof TrimtabError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(error.exitCode);
}
