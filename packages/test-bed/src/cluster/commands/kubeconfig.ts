import { bedFolder } from '../state/bed-folder.ts';
import { requireState } from '../state/bed-state.ts';
import type { Arguments } from '../terminal/arguments.ts';

export async function kubeconfig(args: Arguments): Promise<number> {
  console.log(requireState(bedFolder(args.name)).kubeconfig);
  return 0;
}
