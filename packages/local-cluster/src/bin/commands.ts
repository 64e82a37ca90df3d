import type { CommandTable } from '@trimtab/kube/flags/run-command.ts';

/** Command name and default state folder when another program embeds these commands. */
export interface CommandPlace {
  name: string;
  stateDir: string;
}

export function localClusterCommands(
  place: CommandPlace = { name: 'local-cluster', stateDir: './.local-cluster' },
): CommandTable {
  return {
    name: place.name,
    summary: 'Kubernetes in one process: run and inspect its components.',
    commands: {
      serve: {
        does: 'run an API server with controllers and without a node',
        load: async () => (await import('./serve.ts')).serveCommand(place),
      },
      get: {
        does: 'print keys of the store as etcdctl does',
        load: async () => (await import('./get.ts')).getCommand(place),
      },
    },
  };
}
