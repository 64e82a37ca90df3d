import { enableCompileCache } from 'node:module';
import { type CommandTable, runCommand, runMain } from '@trimtab/kube/flags/run-command.ts';

// Node.js strips types when it loads a file. The cache keeps the result, which saves time and memory.
enableCompileCache();

const trimtab: CommandTable = {
  name: 'trimtab',
  summary: 'Trimtab releases Kubernetes configuration the way Kubernetes releases code.',
  commands: {
    controller: {
      does: 'create a version for every edit of a managed config, and roll it out',
      load: () => import('./controller.ts'),
    },
    gateway: {
      does: 'serve versions over HTTP, and forward all other requests to the API server',
      load: () => import('./gateway.ts'),
    },
    proxy: {
      does: 'run the gateway on your own machine, as the user of your kubeconfig',
      load: () => import('./proxy.ts'),
    },
    inject: {
      does: 'print objects with the agent in their pods, as the webhook creates them',
      load: () => import('./inject.ts'),
    },
    manifests: {
      does: 'print the objects that a cluster needs before controller and gateway start',
      load: () => import('./manifests.ts'),
    },
    local: {
      does: 'run parts of the local cluster: its API server, its store (in a checkout only)',
      load: () => import('./local.ts'),
    },
  },
};

await runMain((argv) => runCommand(trimtab, argv));
