import { enableCompileCache } from 'node:module';
import { runMain } from '@trimtab/kube/flags/run-command.ts';
import { run } from './up/up.ts';

// Types are stripped as files load; what was stripped once need not be again, which saves time and memory.
enableCompileCache();

await runMain(run);
