import { enableCompileCache } from 'node:module';
import { runMain } from '@trimtab/kube/flags/run-command.ts';

// The compile cache keeps files whose types are already stripped, which saves time and memory at each start.
enableCompileCache();

// A static import would load the program before the cache is enabled.
await runMain(async (argv) => (await import('./up/up.ts')).run(argv));
