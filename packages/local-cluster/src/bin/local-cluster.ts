import { enableCompileCache } from 'node:module';
import { runCommand, runMain } from '@trimtab/kube/flags/run-command.ts';
import { localClusterCommands } from './commands.ts';

// Node strips types when it loads a file. The compile cache keeps the result, which saves time and memory.
enableCompileCache();

await runMain((argv) => runCommand(localClusterCommands(), argv));
