import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import { run } from 'trimtab/cli/commands/status.ts';
import { demoConfig, demoNamespace } from '../app/demo-manifests.ts';
import type { View } from './keys.ts';

/** Shows what `trimtab status demo -w` shows. Closing the view stands for Ctrl-C. */
export function liveTree(kubeconfig: string, io: Omit<ProgramIo, 'onInterrupt' | 'programName'>): View {
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const argv = [demoConfig, '--watch', '--namespace', demoNamespace, '--kubeconfig', kubeconfig];
  const closed = run(argv, {
    ...io,
    programName: 'npx trimtab',
    onInterrupt(handler) {
      // The key may be pressed before the command is ready for it.
      if (signal.aborted) queueMicrotask(handler);
      signal.addEventListener('abort', handler);
      return () => signal.removeEventListener('abort', handler);
    },
  });
  return { close: () => interrupted.abort(), closed: closed.then(() => {}) };
}
