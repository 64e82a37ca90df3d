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

/** kubectl starts the plugin by its file name, and another name of the same program for its completion. */
const invokedAs = [process.argv0, process.argv[1] ?? '', process.env['TRIMTAB_INVOKED_AS'] ?? ''].map(
  (name) => path.basename(name),
);
const isCompletion = invokedAs.some((name) => name.startsWith('kubectl_complete-trimtab'));
const isPlugin = isCompletion || invokedAs.some((name) => name.startsWith('kubectl-trimtab'));
const name = isPlugin ? 'kubectl trimtab' : 'trimtab';

// Not awaited: the bytecode of a compiled program cannot wait at the top level.
void runMain((argv) =>
  runCommand({ ...trimtabCommands, name }, isCompletion ? ['__complete', ...argv] : argv, processIo(name)),
);
