import { delimiter, dirname } from 'node:path';
import type { BedFolder } from './state/bed-folder.ts';
import type { BedState } from './state/bed-state.ts';

/** Environment of a program inside the bed: KUBECONFIG, kubectl on the PATH, and TRIMTAB_BED for tests. */
export function bedEnvironment(folder: BedFolder, state: BedState): Record<string, string> {
  return {
    KUBECONFIG: state.containers?.kubeconfigInside ?? state.kubeconfig,
    PATH: [dirname(state.kubectl), process.env['PATH'] ?? ''].join(delimiter),
    TRIMTAB_BED: folder.state,
  };
}
