import { dirname } from 'node:path';
import { bringUp } from '../bring-up.ts';
import type { Arguments } from '../terminal/arguments.ts';
import { terminalProgress } from '../terminal/progress.ts';

export async function up(args: Arguments): Promise<number> {
  const { folder, state } = await bringUp(args, terminalProgress());
  console.log(`export KUBECONFIG=${state.kubeconfig}`);
  console.log(`export PATH=${dirname(state.kubectl)}:$PATH`);
  // For tests that are started manually: see CONTRIBUTING.md.
  console.log(`export TRIMTAB_BED=${folder.state}`);
  return 0;
}
