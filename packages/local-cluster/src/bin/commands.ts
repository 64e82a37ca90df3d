import type { CommandTable } from '@trimtab/kube/flags/run-command.ts';

/** How the commands are called where they are a part of another program, and where that keeps its cluster. */
export interface CommandPlace {
  name: string;
  stateDir: string;
}

export function localClusterCommands(
  place: CommandPlace = { name: 'local-cluster', stateDir: './.local-cluster' },
): CommandTable {
  return {
    name: place.name,
    summary: 'Kubernetes in one process: its parts, each by itself.',
    commands: {
      serve: {
        does: 'an API server with its controllers and no node',
        load: async () => (await import('./serve.ts')).serveCommand(place),
      },
      get: {
        does: 'what the store of a local cluster has under a key',
        load: async () => (await import('./get.ts')).getCommand(place),
      },
    },
  };
}
