import { enableCompileCache } from 'node:module';
import { runCommand, runMain } from '@trimtab/kube/flags/run-command.ts';
import { localClusterCommands } from './commands.ts';

// Types are stripped as files load; what was stripped once need not be again, which saves time and memory.
enableCompileCache();

await runMain((argv) => runCommand(localClusterCommands(), argv));
