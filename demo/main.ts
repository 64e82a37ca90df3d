import { enableCompileCache } from 'node:module';
import { runMain } from '@trimtab/kube/flags/run-command.ts';

// Types are stripped as files load; what was stripped once need not be again, which saves time and memory.
enableCompileCache();

// Loaded only now, so that it comes out of the cache.
await runMain(async (argv) => (await import('./up/up.ts')).run(argv));
