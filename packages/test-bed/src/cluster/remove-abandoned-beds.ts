import { isAlive } from './process/identity.ts';
import { bedFolder, bedNames } from './state/bed-folder.ts';
import { readState } from './state/bed-state.ts';
import { takeDown } from './take-down.ts';
import type { Progress } from './terminal/progress.ts';

/** Takes down the beds of test runs that were killed before they took down their bed. */
export async function removeAbandonedBeds(progress: Progress): Promise<void> {
  for (const name of bedNames()) {
    const owner = readState(bedFolder(name))?.owner;
    if (!owner || isAlive(owner)) continue;
    progress.step(`taking down bed '${name}', whose owner, process ${owner.pid}, has exited`);
    await takeDown(name, progress);
  }
}
