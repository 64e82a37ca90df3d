import { enableCompileCache } from 'node:module';
import { processIo } from '@trimtab/kube/flags/program-io.ts';
import { runMain } from '@trimtab/kube/flags/run-command.ts';

// The compile cache keeps files whose types are already stripped, which saves time and memory at each start.
enableCompileCache();

// A static import would load the program before the cache is enabled.
await runMain(async (argv) => {
  const { upCommand } = await import('./up/up.ts');
  return upCommand().run(argv, processIo('npm start --'));
});
