import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { processIo } from '@trimtab/kube/flags/program-io.ts';
import { runCommand, runMain } from '@trimtab/kube/flags/run-command.ts';
import { trimtabCommands } from './commands.ts';

// Node.js strips types when it loads a file. The cache keeps the result, which saves time and memory.
enableCompileCache();

// A reader such as `head` may close the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

/** kubectl starts the plugin by its file name, `kubectl-trimtab`. */
function programName(): string {
  const names = [process.argv0, process.argv[1] ?? '', process.env['TRIMTAB_INVOKED_AS'] ?? ''];
  return names.some((name) => path.basename(name).startsWith('kubectl-trimtab'))
    ? 'kubectl trimtab'
    : 'trimtab';
}

const name = programName();
await runMain((argv) => runCommand({ ...trimtabCommands, name }, argv, processIo(name)));
