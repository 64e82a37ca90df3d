import { enableCompileCache } from 'node:module';
import { type CommandTable, runCommand, runMain } from '@trimtab/kube/flags/run-command.ts';

// Types are stripped as files load; what was stripped once need not be again, which saves time and memory.
enableCompileCache();

const trimtab: CommandTable = {
  name: 'trimtab',
  summary: 'Trimtab releases Kubernetes configuration the way Kubernetes releases code.',
  commands: {
    controller: {
      does: 'make every edit of a managed config a version, and roll it out',
      load: () => import('./controller.ts'),
    },
    gateway: {
      does: 'serve versions over HTTP, and everything else of the cluster',
      load: () => import('./gateway.ts'),
    },
    proxy: {
      does: 'the gateway on your own machine, as the user of your kubeconfig',
      load: () => import('./proxy.ts'),
    },
    manifests: {
      does: 'print what a cluster needs before controller and gateway start',
      load: () => import('./manifests.ts'),
    },
    local: {
      does: 'parts of the local cluster: its API server, its store (in a checkout only)',
      load: () => import('./local.ts'),
    },
  },
};

await runMain((argv) => runCommand(trimtab, argv));
