import { bedNames } from '../state/bed-folder.ts';
import { takeDown } from '../take-down.ts';
import type { Arguments } from '../terminal/arguments.ts';
import { terminalProgress } from '../terminal/progress.ts';

export async function down(args: Arguments): Promise<number> {
  const progress = terminalProgress();
  for (const name of args.all ? bedNames() : [args.name]) {
    const found = await takeDown(name, progress);
    progress.step(found ? `bed '${name}' is down` : `bed '${name}' does not exist`);
  }
  return 0;
}
